internal import ProxydPresentation
internal import ProxydCaptureModel
internal import ProxydHTTPModel

/// One exchange as a line of `list` and `tail`.
///
/// Columns have fixed widths, so that lines printed hours apart are still aligned; the URL comes
/// last and takes the remaining space.
struct ExchangeLine {
    /// The wall-clock time in nanoseconds since 1970, on a terminal, where recent times are shown
    /// without their dates; otherwise nil, and every time has its date.
    let now: Int64?

    private static let columns: [TextTable.Column] = [
        .init(title: "ID", alignment: .right, columnCountMax: 19),
        .init(title: "TIME", columnCountMax: 19),
        .init(title: "METHOD", columnCountMax: 7),
        .init(title: "STATUS", alignment: .right, columnCountMax: 6),
        .init(title: "SIZE", alignment: .right, columnCountMax: 7),
        .init(title: "TOOK", alignment: .right, columnCountMax: 10),
        .init(title: "URL"),
    ]

    /// The width of the column with names of exchanges, which longer ones exceed.
    let idWidth: Int

    private func widths(_ name: String = "") -> [Int] {
        [max(5, idWidth, name.count), now == nil ? 19 : 11, 7, 6, 7, 10, 0]
    }

    /// The column headings.
    var heading: StyledText {
        let titles = ExchangeLine.columns.map { StyledText($0.title, .heading) }
        return TextTable.line(titles, ExchangeLine.columns, widths())
    }

    func line(_ row: ExchangeRow) -> StyledText {
        TextTable.line(cells(row), ExchangeLine.columns, widths(row.idText))
    }

    private func cells(_ row: ExchangeRow) -> [StyledText] {
        [
            StyledText(row.idText, .dim),
            StyledText(time(row.startedAtNs), .dim),
            StyledText(row.method ?? "-", .heading),
            status(row),
            StyledText(Quantity.bytes(row.responseBodyByteCount)),
            StyledText(row.durationNs.map(Quantity.duration) ?? ""),
            StyledText(row.url ?? "-") + remarks(row),
        ]
    }

    private func time(_ nanoseconds: Int64) -> String {
        now.map { WallTime.local.short(nanoseconds, now: $0) } ?? WallTime.local.full(nanoseconds)
    }

    private func status(_ row: ExchangeRow) -> StyledText {
        if let status = row.status { return StyledText(String(status), Style(.ofStatus(status))) }
        switch row.state {
        case .active: return StyledText("...", .informational)
        case .failed: return StyledText("failed", .bad)
        case .tunnel: return StyledText("tunnel", .keyword)
        case .complete: return StyledText("-")
        }
    }

    private func remarks(_ row: ExchangeRow) -> StyledText {
        var remarks = StyledText()
        if row.state == .active, row.status != nil { remarks.append("  (running)", .informational) }
        if let protocolName = row.upgradedTo { remarks.append("  (\(protocolName))", .keyword) }
        if let operations = row.graphQLText { remarks.append("  (\(operations))", .keyword) }
        if let error = row.error { remarks.append("  \(error)", .bad) }
        for tag in row.tags { remarks.append("  #\(tag)", .notice) }
        if row.isPinned { remarks.append("  pinned", .notice) }
        if let note = row.note { remarks.append("  \"\(note)\"", .notice) }
        return remarks
    }
}
