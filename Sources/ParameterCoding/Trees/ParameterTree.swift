/// A query or form interpreted as a tree: the likely meaning of names such as `a[b][]`, `a[0]` and
/// `a.b`, with every guess that was made.
///
/// The tree is only a view: the pairs themselves are what was sent.
public struct ParameterTree: Sendable, Hashable {
    /// The tree; its root is an object. Values are strings, or null for a bare name.
    public let parameter: Parameter
    /// The guesses, each once per name, in the order of the pairs that required them.
    public let guesses: [ParameterGuess]

    /// Builds the tree of pairs, without empty ones (`a&&b`). Takes time linear in the length of
    /// the names and values.
    /// - Parameters:
    ///   - pairs: The pairs in their order.
    ///   - limits: Bounds on the tree.
    ///   - dotsNest: Whether `a.b` is the member b of a, or just a name.
    /// - Throws: if the tree would have more values than the limit.
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
