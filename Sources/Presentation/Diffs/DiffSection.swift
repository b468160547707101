/// A part of two exchanges, compared line by line.
package struct DiffSection: Sendable {
    /// One line of the comparison.
    package struct Line: Sendable {
        /// The role of a line in the comparison.
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

        /// The background, or nil for the default one.
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

    /// Creates a section from its compared lines.
    package init(_ title: String, _ lines: [Line]) {
        self.title = title
        self.lines = lines
        removedCount = lines.count { $0.kind == .removed }
        addedCount = lines.count { $0.kind == .added }
    }

    /// Whether nothing differs.
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

    /// Compares the text of two lists of lines. Throws `CancellationError` if `isCancelled` returns
    /// true.
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
