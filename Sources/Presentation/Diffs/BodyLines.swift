/// The lines of a decoded body, JSON laid out, to be compared with those of another one.
package struct BodyLines: Sendable {
    /// Decoded bytes and lines of a body that are compared at most.
    package static let byteCountMax = 8 << 20
    private static let lineCountMax = 50_000
    /// Bytes that are looked at between two questions whether to go on.
    private static let sliceByteCount = 1 << 20

    /// Those of no body.
    package static let none = BodyLines()

    /// The lines, as the viewer made them.
    package private(set) var lines: [StyledText] = []
    /// What the viewer is called that made them; empty where there is no body.
    package private(set) var viewer = ""
    /// Whether the body goes on.
    package var isCut = false

    private init() {}

    /// Finds them in what is known of a body. Throws `CancellationError` where `isCancelled` says
    /// so.
    package init(
        _ facts: BodyFacts, _ source: any BodySource, _ isCancelled: () -> Bool
    ) throws {
        if isCancelled() { throw CancellationError() }
        let type = BodyLines.viewer(facts)
        var viewer = type.init(facts, source)
        while !viewer.isComplete, viewer.lineCount < BodyLines.lineCountMax {
            let before = viewer.indexedByteCount
            viewer.advance(byteBudget: BodyLines.sliceByteCount)
            if isCancelled() { throw CancellationError() }
            if viewer.indexedByteCount == before { break }
        }
        let count = min(viewer.lineCount, BodyLines.lineCountMax)
        lines = viewer.lines(0..<count)
        self.viewer = type.name
        isCut = !viewer.isComplete || viewer.lineCount > count || !source.extent.isComplete
    }

    /// The viewer whose lines are best to compare: one that folds nothing.
    private static func viewer(_ facts: BodyFacts) -> any BodyViewer.Type {
        let unfit = [BodyViewers.jsonTree, BodyViewers.image, BodyViewers.parts].map { $0.name }
        return BodyViewers.suited(to: facts).first { !unfit.contains($0.name) } ?? BodyViewers.hex
    }
}

extension DiffSection {
    /// Compares two bodies below a heading; no lines where neither has any. `names` are what the
    /// two are called. Throws `CancellationError` where `isCancelled` says so.
    package static func compare(
        _ bodies: [BodyLines], called names: [String], _ isCancelled: () -> Bool
    ) throws -> [Line] {
        guard bodies.count == 2, bodies.contains(where: { !$0.lines.isEmpty }) else { return [] }
        let viewers = Set(bodies.map(\.viewer)).sorted().filter { !$0.isEmpty }
        var lines = [heading(""), heading("body as " + viewers.joined(separator: " and "))]
        lines += try compare(bodies[0].lines, bodies[1].lines, isCancelled)
        for (body, name) in zip(bodies, names) where body.isCut {
            lines.append(heading("the \(name) body goes on: only its beginning was compared"))
        }
        return lines
    }

    private static func heading(_ text: String) -> Line {
        Line(kind: .heading, text: StyledText(text, .heading))
    }
}
