/// Which objects and arrays are folded.
struct JSONFolding: Sendable {
    /// Those at this depth and deeper are folded; nil folds none. The outermost have depth 0.
    var depth: Int?
    /// Where those begin that are otherwise than their depth says.
    var exceptions: Set<Int> = []

    /// Whether the one that begins at an offset is folded.
    func isFolded(at offset: Int, depth: Int) -> Bool {
        let isDeep = self.depth.map { depth >= $0 } ?? false
        return isDeep != exceptions.contains(offset)
    }
}
