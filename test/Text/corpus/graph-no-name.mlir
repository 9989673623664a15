module {
  func.func @_() {
    return
  }
  func.func @__() attributes {ge.name = ""} {
    return
  }
}
