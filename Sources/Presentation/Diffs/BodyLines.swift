package import ProxydHTTPModel

/// The lines of a decoded body, with JSON formatted, for comparison with another body.
package struct BodyLines: Sendable {
    /// The maximum number of bytes and lines of a body that are compared.
    package static let byteCountMax = 8 << 20
    private static let lineCountMax = 50_000
    /// The number of bytes examined between two checks for cancellation.
    private static let sliceByteCount = 1 << 20

    /// The lines of a missing body.
    package static let none = BodyLines()

    /// The lines, as rendered by the viewer.
    package private(set) var lines: [StyledText] = []
    /// The name of the viewer that rendered them; empty if there is no body.
    package private(set) var viewer = ""
    /// Whether the body has more lines.
    package var isCut = false

    private init() {}

    /// Renders the available part of a body. Throws `CancellationError` if `isCancelled` returns
    /// true.
    package init(
        _ facts: BodyFacts, _ source: any BodySource, _ isCancelled: () -> Bool
    ) throws {
        if isCancelled() { throw CancellationError() }
        let type = BodyLines.viewer(facts)
        var viewer = ViewedBody(type, facts, source).viewer
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

    /// Decodes and renders a body in memory. Throws `CancellationError` if `isCancelled` returns
    /// true.
    package init(
        _ body: Body, _ fields: HeaderFields, _ isCancelled: () -> Bool
    ) throws {
        guard !body.kept.isEmpty else {
            self = .none
            return
        }
        let codings = fields.values(named: "Content-Encoding")
        let contentEncoding = codings.isEmpty ? nil : codings.joined(separator: ", ")
        let source = LoadedBody(contentEncoding: contentEncoding)
        source.load(
            upTo: BodyLines.byteCountMax, from: MemoryBodyOrigin(bytes: body.kept), isCancelled)
        let facts = BodyFacts(
            contentType: fields["Content-Type"], contentEncoding: contentEncoding,
            passedByteCount: body.byteCount, keptByteCount: Int64(body.kept.count),
            beginning: source.read(from: 0, byteCount: BodyFacts.lookByteCount))
        try self.init(facts, source, isCancelled)
        if body.isTruncated { isCut = true }
    }

    /// The viewer whose lines are best to compare: one that folds nothing.
    private static func viewer(_ facts: BodyFacts) -> any BodyViewer.Type {
        BodyViewers.best(
            for: facts, besides: [BodyViewers.jsonTree, BodyViewers.image, BodyViewers.parts])
    }
}

extension DiffSection {
    /// Compares two bodies below a heading; returns no lines if both are missing. `names` are the
    /// names of the two sides. Throws `CancellationError` if `isCancelled` returns true.
    package static func compare(
        _ bodies: [BodyLines], called names: [String], _ isCancelled: () -> Bool
    ) throws -> [Line] {
        guard bodies.count == 2, bodies.contains(where: { !$0.lines.isEmpty }) else { return [] }
        let viewers = Set(bodies.map(\.viewer)).sorted().filter { !$0.isEmpty }
        var lines = [heading(""), heading("body as " + viewers.joined(separator: " and "))]
        lines += try compare(bodies[0].lines, bodies[1].lines, isCancelled)
        for (body, name) in zip(bodies, names) where body.isCut {
            lines.append(heading("the \(name) body is longer: only its start was compared"))
        }
        return lines
    }

    private static func heading(_ text: String) -> Line {
        Line(kind: .heading, text: StyledText(text, .heading))
    }
}
