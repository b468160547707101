/// All viewers, and which of them a body gets.
enum BodyViewers {
    /// The viewers in the order in which they are offered; the last one shows anything.
    static let all: [any BodyViewer.Type] = [
        GraphQLViewer.self, JSONTreeViewer.self, JSONTextViewer.self, FormViewer.self,
        MultipartViewer.self, MarkupViewer.self, CodeViewer.self, EventStreamViewer.self,
        ImageViewer.self, ProtobufViewer.self, MessagePackViewer.self, TextViewer.self,
        HexViewer.self,
    ]

    /// The viewers that suit a body, the best first. Hex always is among them.
    static func suited(to facts: BodyFacts) -> [any BodyViewer.Type] {
        all.map { (type: $0, fitness: $0.fitness(for: facts)) }.filter { $0.fitness > 0 }
            // Sorting is stable: of equals, the one that is offered first.
            .sorted { $0.fitness > $1.fitness }.map(\.type)
    }

    /// The viewer of a name; nil where there is none.
    static func named(_ name: String) -> (any BodyViewer.Type)? { all.first { $0.name == name } }
}
