// RUN: grep -v "^// RUN" %s > %t && ge-opt %s | diff %t -
module {
}
