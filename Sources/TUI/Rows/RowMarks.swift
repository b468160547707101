internal import ProxydPresentation
internal import ProxydCaptureModel

/// The symbols before a row, each in its own column, so that a row can have all of them.
enum RowMarks {
    /// The number of columns.
    static let columnCount = 5

    /// The meanings of the symbols, for the help.
    static let meanings = [
        ("●", "marked"), ("!", "pinned: never deleted to make room"), ("+", "has a note or tags"),
        ("↺", "a replay of another exchange"), ("≠", "a rule applied"),
        ("⏸", "held: H shows all"),
    ]

    static func line(_ row: ExchangeRow, isMarked: Bool, isHeld: Bool = false) -> StyledText {
        var line = StyledText(isMarked ? "●" : " ", Style(.warning).adding(.bold))
        let hasRemark = row.note != nil || !row.tags.isEmpty
        line.append(row.isPinned ? "!" : " ", Style(.notice))
        line.append(hasRemark ? "+" : " ", Style(.notice))
        line.append(row.replayOf != nil ? "↺" : " ", Style(.notice))
        line.append(isHeld ? "⏸" : row.rules.isEmpty ? " " : "≠", Style(.warning))
        return line
    }
}
