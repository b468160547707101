internal import Capture
internal import HTTPModel

/// The heads of an exchange as they were received.
struct HeadScreen: ScreenModel {
    let title: String
    let places: Set<Action.Place> = [.everywhere, .moving, .detail]
    private var row: ExchangeRow
    private var lines: [String] = []
    private var scroll = 0

    init(_ row: ExchangeRow) {
        self.row = row
        title = "Exchange \(row.id)"
    }

    mutating func appear(_ context: Context) -> [Effect] {
        let id = row.id
        return [
            .work(
                Work("heads", on: .details) { context in
                    let heads = try [StoredMessage.request, .response].compactMap {
                        try context.exchanges.headOctets(id, $0)
                    }
                    return heads.flatMap { head in
                        String(decoding: head, as: UTF8.self).split(
                            omittingEmptySubsequences: false, whereSeparator: \.isNewline
                        ).map(String.init)
                    }
                })
        ]
    }

    mutating func perform(_ action: ActionID, _ context: Context) -> [Effect] {
        switch action {
        case .up: scroll = max(0, scroll - 1)
        case .down: scroll = min(max(0, lines.count - 1), scroll + 1)
        default: return RowActions.effects(action, row)
        }
        return []
    }

    mutating func receive(_ news: ScreenNews, _ context: Context) -> [Effect] {
        switch news {
        case .result(_, let lines as [String]): self.lines = lines
        case .result(_, let text as CopiedText): return [.copy(text)]
        case .result(_, let notice as Notice): return [.notify(notice)]
        case .failure(_, let words): return [.notify(.problem(words))]
        case .answer(let change as Annotation): return [RowActions.annotate(change)]
        default: break
        }
        return []
    }

    func draw(into canvas: Canvas, _ context: Context) {
        canvas.draw(title, row: 0, Style(.heading).adding(.bold))
        canvas.draw(row.url ?? "-", column: title.count + 2, row: 0, Style(.accent))
        for (index, line) in lines.dropFirst(scroll).prefix(max(0, canvas.rows - 1)).enumerated() {
            canvas.draw(line, row: index + 1)
        }
    }
}
