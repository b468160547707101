internal import ProxydPresentation

/// Two parts of a screen beside each other, with a line between them.
struct Halves: Sendable, Hashable {
    /// The width from which on an exchange is beside its list, and a request beside its response.
    static let columnCountMin = 160

    let left: Rectangle
    let right: Rectangle

    /// - Parameter row: The first row of both.
    init(of size: Size, below row: Int = 0) {
        let leftCount = (size.columns - 1) / 2
        left = Rectangle(
            column: 0, row: row, size: Size(columns: leftCount, rows: size.rows - row))
        right = Rectangle(
            column: leftCount + 1, row: row,
            size: Size(columns: size.columns - leftCount - 1, rows: size.rows - row))
    }
}

extension Canvas {
    func drawLine(between halves: Halves) {
        for row in halves.right.row..<max(halves.right.row, rows) {
            draw("│", column: halves.right.column - 1, row: row, Style(.dim))
        }
    }
}

/// The name of a screen that is part of another one. Its work has slots of its own.
struct ScreenPart: Sendable, Hashable {
    let name: String

    func slot(_ own: String) -> String { "\(name).\(own)" }

    /// The part's own name of a slot, or nil if the slot is not one of this part.
    func own(_ slot: String) -> String? {
        let prefix = "\(name)."
        return slot.hasPrefix(prefix) ? String(slot.dropFirst(prefix.count)) : nil
    }
}

extension ScreenEffect {
    func of(_ part: ScreenPart) -> ScreenEffect {
        switch self {
        case .work(let work): .work(work.named(part.slot(work.slot)))
        case .cancelWork(let slot): .cancelWork(slot: part.slot(slot))
        default: self
        }
    }
}
