//===- ThreadInterrupt.h - the flag that ends the work of one thread --------------------------===//
#ifndef GE_SUPPORT_THREADINTERRUPT_H
#define GE_SUPPORT_THREADINTERRUPT_H

namespace ge {

/// Polls of this thread throw Interrupted once `*flag` is not 0, beside what the process's check
/// says; an Interrupt::Scope that is opened then throws it at once. Null: no flag. Returns the flag
/// until now.
const int *setThreadInterruptFlag(const int *flag);

} // namespace ge

#endif // GE_SUPPORT_THREADINTERRUPT_H
