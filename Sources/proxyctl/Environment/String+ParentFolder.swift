extension String {
    /// The folder of a path, without a slash at its end; empty for a name alone.
    var parentFolder: String {
        guard let slash = lastIndex(of: "/") else { return "" }
        return slash == startIndex ? "/" : String(self[..<slash])
    }
}
