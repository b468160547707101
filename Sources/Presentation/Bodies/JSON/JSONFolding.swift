/// Which objects and arrays are folded.
struct JSONFolding: Sendable {
    /// Containers at this depth and deeper are folded; nil folds none. The outermost has depth 0.
    var depth: Int?
    /// The start offsets of containers whose state is the opposite of what their depth says.
    var exceptions: Set<Int> = []

    /// Whether the container that starts at an offset is folded.
    func isFolded(at offset: Int, depth: Int) -> Bool {
        let isDeep = self.depth.map { depth >= $0 } ?? false
        return isDeep != exceptions.contains(offset)
    }
}
