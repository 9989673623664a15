module @"a b\22\\c\C3\A9" {
}
