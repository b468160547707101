package import ProxydHTTPModel

/// A part of two exchanges, compared line by line.
package struct DiffSection: Sendable {
    package struct Line: Sendable {
        package enum Kind: Sendable, Hashable {
            case same, removed, added
            /// A title between parts.
            case heading
            /// A number of equal lines that are not shown.
            case gap(Int)
        }

        package let kind: Kind
        /// The line from the body, or text of proxyd itself.
        package let text: StyledText

        /// The sign before the line, one column wide.
        package var sign: String {
            switch kind {
            case .removed: "-"
            case .added: "+"
            case .gap: "⋯"
            case .same, .heading: " "
            }
        }

        package var background: Style.Role? {
            switch kind {
            case .removed: .removed
            case .added: .added
            case .same, .heading, .gap: nil
            }
        }
    }

    /// The number of equal lines shown around a difference.
    private static let contextCount = 3

    /// The title of what was compared, such as `Request`.
    package let title: String
    /// All lines of both sides, in order.
    package let lines: [Line]
    /// The numbers of removed and of added lines.
    package let removedCount: Int
    package let addedCount: Int

    package init(_ title: String, _ lines: [Line]) {
        self.title = title
        self.lines = lines
        removedCount = lines.count { $0.kind == .removed }
        addedCount = lines.count { $0.kind == .added }
    }

    package var isEqual: Bool { removedCount == 0 && addedCount == 0 }

    /// The lines without the equal ones that are far from any difference.
    package var shortened: [Line] {
        var near = [Bool](repeating: false, count: lines.count)
        for (index, line) in lines.enumerated() where line.kind != .same {
            let reach = line.kind == .heading ? 0 : DiffSection.contextCount
            for next in max(0, index - reach)...min(lines.count - 1, index + reach) {
                near[next] = true
            }
        }
        var result: [Line] = []
        var hidden = 0
        func flush() {
            guard hidden > 0 else { return }
            let words =
                hidden == 1 ? "1 equal line" : "\(Quantity.grouped(Int64(hidden))) equal lines"
            result.append(Line(kind: .gap(hidden), text: StyledText(words, .dim)))
            hidden = 0
        }
        for (index, line) in lines.enumerated() {
            if near[index] {
                flush()
                result.append(line)
            } else {
                hidden += 1
            }
        }
        flush()
        return result
    }

    /// Compares two lists of lines. Throws `CancellationError` if `isCancelled` returns true.
    package static func compare(
        _ old: [StyledText], _ new: [StyledText], _ isCancelled: () -> Bool
    ) throws -> [Line] {
        var numbers: [[UInt8]: Int] = [:]
        func number(_ line: StyledText) -> Int {
            let key = Array(line.text.utf8)
            if let known = numbers[key] { return known }
            numbers[key] = numbers.count
            return numbers.count - 1
        }
        let (left, right) = (old.map(number), new.map(number))
        guard let pieces = LineDiff.pieces(left, right, isCancelled: isCancelled) else {
            throw CancellationError()
        }
        let (old, new) = try marked(pieces, old, new, isCancelled)
        return pieces.flatMap { piece -> [Line] in
            switch piece {
            case .same(let start, _, let count):
                old[start..<start + count].map { Line(kind: .same, text: $0) }
            case .removed(let range): old[range].map { Line(kind: .removed, text: $0) }
            case .added(let range): new[range].map { Line(kind: .added, text: $0) }
            }
        }
    }

    /// The lines with differing words marked, if as many lines were removed as were added: each
    /// removed line is compared with the added one at the same place.
    private static func marked(
        _ pieces: [LineDiff.Piece], _ old: [StyledText], _ new: [StyledText],
        _ isCancelled: () -> Bool
    ) throws -> (old: [StyledText], new: [StyledText]) {
        var (old, new) = (old, new)
        for (piece, next) in zip(pieces, pieces.dropFirst()) {
            guard case .removed(let removed) = piece, case .added(let added) = next,
                removed.count == added.count
            else { continue }
            for (left, right) in zip(removed, added) {
                if isCancelled() { throw CancellationError() }
                (old[left], new[right]) = WordDiff.marked(old[left], new[right])
            }
        }
        return (old, new)
    }
}

/// The lines of a decoded body, with JSON formatted, for comparison with another body.
package struct BodyLines: Sendable {
    /// The maximum number of bytes and lines of a body that are compared.
    package static let byteCountMax = 8 << 20
    private static let lineCountMax = 50_000
    /// The number of bytes examined between two checks for cancellation.
    private static let sliceByteCount = 1 << 20

    package static let none = BodyLines()

    package private(set) var lines: [StyledText] = []
    /// The name of the viewer that rendered them; empty if there is no body.
    package private(set) var viewer = ""
    package var isCut = false

    private init() {}

    /// Renders what is available. Throws `CancellationError` if `isCancelled` returns true.
    package init(_ facts: BodyFacts, _ source: any BodySource, _ isCancelled: () -> Bool) throws {
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

    /// Decodes and renders a body. Throws `CancellationError` if `isCancelled` returns true.
    package init(_ body: Body, _ fields: HeaderFields, _ isCancelled: () -> Bool) throws {
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
