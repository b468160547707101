/// All viewers, and the choice of viewers for a body.
package enum BodyViewers {
    /// The viewers in the order in which they are offered; the last one shows any body.
    package static let all: [any BodyViewer.Type] = [
        graphQL, jsonTree, JSONTextViewer.self, FormViewer.self, parts,
        MarkupViewer.self, CodeViewer.self, EventStreamViewer.self, image, CallViewer.self,
        ProtobufViewer.self, MessagePackViewer.self, text, hex,
    ]

    /// Shows GraphQL requests with formatted documents.
    package static let graphQL: any BodyViewer.Type = GraphQLViewer.self
    /// Shows JSON as a foldable tree without punctuation.
    package static let jsonTree: any BodyViewer.Type = JSONTreeViewer.self
    /// Shows the parts of a multipart body, each with the start of its content.
    package static let parts: any BodyViewer.Type = MultipartViewer.self
    /// What the header of an image says.
    package static let image: any BodyViewer.Type = ImageViewer.self
    /// Shows text in its charset, unformatted.
    package static let text: any BodyViewer.Type = TextViewer.self
    /// Shows any body as lines of sixteen bytes.
    package static let hex: any BodyViewer.Type = HexViewer.self

    /// The viewers that suit a body, the best first. They always include hex.
    package static func suited(to facts: BodyFacts) -> [any BodyViewer.Type] {
        all.map { (type: $0, fitness: $0.fitness(for: facts)) }.filter { $0.fitness > 0 }
            // Sorting is stable: of equally good viewers, the one offered first.
            .sorted { $0.fitness > $1.fitness }.map(\.type)
    }

    /// The viewer with a name, or nil if there is none.
    package static func named(_ name: String) -> (any BodyViewer.Type)? {
        all.first { $0.name == name }
    }

    /// The best viewer for a body apart from some that do not fit the purpose.
    static func best(
        for facts: BodyFacts, besides unfit: [any BodyViewer.Type]
    ) -> any BodyViewer.Type {
        suited(to: facts).first { type in !unfit.contains { $0 == type } } ?? hex
    }
}
