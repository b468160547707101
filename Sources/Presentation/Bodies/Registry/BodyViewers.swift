/// All viewers, and which of them a body gets.
package enum BodyViewers {
    /// The viewers in the order in which they are offered; the last one shows anything.
    package static let all: [any BodyViewer.Type] = [
        graphQL, jsonTree, JSONTextViewer.self, FormViewer.self, parts,
        MarkupViewer.self, CodeViewer.self, EventStreamViewer.self, image, ProtobufViewer.self,
        MessagePackViewer.self, text, hex,
    ]

    /// GraphQL requests with their documents laid out.
    package static let graphQL: any BodyViewer.Type = GraphQLViewer.self
    /// JSON as a tree that folds, without its punctuation.
    package static let jsonTree: any BodyViewer.Type = JSONTreeViewer.self
    /// The parts of a multipart body, each with the beginning of what it holds.
    package static let parts: any BodyViewer.Type = MultipartViewer.self
    /// What the header of an image says.
    package static let image: any BodyViewer.Type = ImageViewer.self
    /// Text in its charset, as it came.
    package static let text: any BodyViewer.Type = TextViewer.self
    /// Sixteen bytes a line; shows anything.
    package static let hex: any BodyViewer.Type = HexViewer.self

    /// The viewers that suit a body, the best first. Hex always is among them.
    package static func suited(to facts: BodyFacts) -> [any BodyViewer.Type] {
        all.map { (type: $0, fitness: $0.fitness(for: facts)) }.filter { $0.fitness > 0 }
            // Sorting is stable: of equals, the one that is offered first.
            .sorted { $0.fitness > $1.fitness }.map(\.type)
    }

    /// The viewer of a name; nil where there is none.
    package static func named(_ name: String) -> (any BodyViewer.Type)? {
        all.first { $0.name == name }
    }
}
