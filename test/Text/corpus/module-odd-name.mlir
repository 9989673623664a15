// RUN: grep -v "^// RUN" %s > %t && ge-opt %s | diff %t -
module @"a b\22\\c\C3\A9" {
}
