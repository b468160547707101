internal import Capture
internal import HTTPModel

/// One exchange as one line of `list` and `tail`.
///
/// Columns have fixed widths, so that lines printed hours apart still stand below each other; the
/// URL comes last and takes what is left.
struct ExchangeLine {
    /// The wall clock, nanoseconds since 1970: old times are shown with their date.
    let now: Int64

    static let columns: [TextTable.Column] = [
        .init(title: "ID", alignment: .right, columnCountMax: 19),
        .init(title: "TIME", columnCountMax: 19),
        .init(title: "METHOD", columnCountMax: 7),
        .init(title: "STATUS", alignment: .right, columnCountMax: 6),
        .init(title: "SIZE", alignment: .right, columnCountMax: 7),
        .init(title: "TOOK", alignment: .right, columnCountMax: 10),
        .init(title: "URL"),
    ]

    /// Widths of the columns above, less the last, wide enough for the newest row's cells.
    static func widths(newestID: Int64, isDated: Bool) -> [Int] {
        [max(5, String(newestID).count), isDated ? 19 : 8, 7, 6, 7, 10, 0]
    }

    /// The headings, for a terminal.
    static func heading(_ widths: [Int]) -> StyledText {
        TextTable.line(columns.map { StyledText($0.title, .bold) }, columns, widths)
    }

    func line(_ row: ExchangeRow, _ widths: [Int]) -> StyledText {
        TextTable.line(cells(row), ExchangeLine.columns, widths)
    }

    private func cells(_ row: ExchangeRow) -> [StyledText] {
        [
            StyledText(String(row.id.rawValue), .dim),
            StyledText(Timestamp.local(row.startedAtNs, now: now), .dim),
            StyledText(row.method ?? "-", .bold),
            status(row),
            StyledText(Quantity.bytes(row.responseBodyByteCount)),
            StyledText(row.durationNs.map(Quantity.duration) ?? ""),
            StyledText(row.url ?? "-") + remarks(row),
        ]
    }

    private func status(_ row: ExchangeRow) -> StyledText {
        if let status = row.status { return StyledText(String(status), .ofStatus(status)) }
        switch row.state {
        case .active: return StyledText("...", .cyan)
        case .failed: return StyledText("failed", .red)
        case .tunnel: return StyledText("tunnel", .magenta)
        case .complete: return StyledText("-")
        }
    }

    private func remarks(_ row: ExchangeRow) -> StyledText {
        var remarks = StyledText()
        if row.state == .active, row.status != nil { remarks.append("  (running)", .cyan) }
        if let protocolName = row.upgradedTo { remarks.append("  (\(protocolName))", .magenta) }
        if let error = row.error { remarks.append("  \(error)", .red) }
        for tag in row.tags { remarks.append("  #\(tag)", .yellow) }
        if row.isPinned { remarks.append("  pinned", .yellow) }
        if let note = row.note { remarks.append("  \"\(note)\"", .yellow) }
        return remarks
    }
}
