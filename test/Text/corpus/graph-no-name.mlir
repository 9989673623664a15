// RUN: grep -v "^// RUN" %s > %t && ge-opt %s | diff %t -
module {
  func.func @_() {
    return
  }
  func.func @__() attributes {ge.name = ""} {
    return
  }
}
