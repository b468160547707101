package import ProxydParameterCoding

/// Stores the operations of a GraphQL request as two texts, one for the names and one for the
/// types, with one line per operation. Names and types contain no line breaks.
package enum GraphQLCoding {
    package static func text(of operations: [GraphQLOperation]) -> (names: String, types: String) {
        (
            operations.map { $0.name ?? "" }.joined(separator: "\n"),
            operations.map { $0.kind?.rawValue ?? "" }.joined(separator: "\n")
        )
    }

    /// Decodes the operations, or returns none if nothing was stored. If the store is damaged, one
    /// text may have more lines than the other.
    package static func operations(names: String?, types: String?) -> [GraphQLOperation] {
        guard names != nil || types != nil else { return [] }
        let names = lines(names)
        let types = lines(types)
        return (0..<max(names.count, types.count)).map { place in
            let name = place < names.count ? names[place] : ""
            let kind = place < types.count ? types[place] : ""
            return GraphQLOperation(
                kind: GraphQLOperation.Kind(rawValue: kind), name: name.isEmpty ? nil : name)
        }
    }

    private static func lines(_ text: String?) -> [String] {
        (text ?? "").split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }
}
