internal import ProxydExchangeContent
internal import ProxydPresentation
internal import ProxydParameterCoding

/// The GraphQL operations of a request, as lines for users.
enum GraphQLReport {
    static func lines(_ calls: [GraphQLCall]) -> [StyledText] {
        calls.flatMap { call in
            [StyledText("  graphql", .heading) + StyledText(" \(call.operation)")]
                + document(call) + variables(call)
        }
    }

    private static func document(_ call: GraphQLCall) -> [StyledText] {
        if let document = call.document {
            return text(GraphQLPrinter.text(of: document))
        }
        return call.persistedHash.map { [StyledText("    persisted as \($0)", .dim)] } ?? []
    }

    private static func variables(_ call: GraphQLCall) -> [StyledText] {
        guard let variables = call.variables else { return [] }
        return [StyledText("  variables", .heading)]
            + BodyExcerpt(variables).lines.map { "    " + $0 }
    }

    private static func text(_ text: String) -> [StyledText] {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { StyledText("    \($0)") }
    }
}
