//===- Reserve.h - room for elements that are added without throwing --------------------------===//
#ifndef GE_SUPPORT_RESERVE_H
#define GE_SUPPORT_RESERVE_H

#include <algorithm>
#include <cstddef>

namespace ge {

/// Room for `more` elements: adding them cannot fail then. Grows by half at least, where
/// reserve(size() + 1) copies a vector again for each element that is added.
template <typename Vector> void reserveMore(Vector &vector, size_t more) {
  if (vector.capacity() - vector.size() < more)
    vector.reserve(std::max(vector.size() + more, vector.capacity() + vector.capacity() / 2));
}

} // namespace ge

#endif // GE_SUPPORT_RESERVE_H
