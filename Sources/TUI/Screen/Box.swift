internal import ProxydPresentation

/// Draws a frame around a dialog.
enum Box {
    static func draw(_ title: String, into canvas: Canvas) {
        guard canvas.columns >= 2, canvas.rows >= 2 else { return }
        let style = Style(.dim)
        let line = String(repeating: "─", count: canvas.columns - 2)
        canvas.draw("┌\(line)┐", row: 0, style)
        canvas.draw("└\(line)┘", row: canvas.rows - 1, style)
        for row in 1..<(canvas.rows - 1) {
            canvas.draw("│", row: row, style)
            canvas.draw("│", column: canvas.columns - 1, row: row, style)
        }
        if !title.isEmpty {
            canvas.part(column: 2, columns: canvas.columns - 4)
                .draw(" \(title) ", row: 0, Style(.heading).adding(.bold))
        }
    }
}
