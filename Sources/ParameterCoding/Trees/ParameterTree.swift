/// A query or form seen as a tree: what its author may have meant by names such as `a[b][]`,
/// `a[0]` and `a.b`, with every guess that was made on the way.
///
/// A view and nothing more: the pairs themselves are what was sent.
public struct ParameterTree: Sendable, Hashable {
    /// The tree; its root is an object. Values are text, and null for a bare name.
    public let parameter: Parameter
    /// The guesses, each once for a name, in the order of the pairs that called for them.
    public let guesses: [ParameterGuess]

    /// The tree of pairs. Empty pairs (`a&&b`) are not in it. Takes time in the length of the
    /// names and values.
    /// - Parameters:
    ///   - pairs: The pairs in their order.
    ///   - limits: Bounds on the tree.
    ///   - dotsNest: Whether `a.b` is the member b of a, or just a name.
    /// - Throws: where the tree would have more values than the limit.
    public static func view(
        of pairs: EncodedPairs,
        limits: ParameterTreeLimits = ParameterTreeLimits(),
        dotsNest: Bool = true
    ) throws(ParameterTreeError) -> ParameterTree {
        var builder = ParameterTreeBuilder(nodeCountMax: limits.valueCountMax)
        for (position, pair) in pairs.pairs.enumerated() where !pair.ranges.isEmpty {
            let path = ParameterName(pair.name, depthMax: limits.depthMax, dotsNest: dotsNest)
            let value = pair.value.map { Parameter.string($0) } ?? .null
            try builder.add(value, at: path, pair: position)
        }
        return builder.tree()
    }
}
