internal import ProxydPresentation
internal import ProxydCaptureModel
internal import ProxydFilter
internal import ProxydHTTPModel

/// The work of the detail screen off the drawing thread.
enum DetailWorks {
    /// The next or previous exchange of the list.
    struct Neighbour: Sendable {
        let row: ExchangeRow?
        let isNext: Bool
    }

    /// A viewer found more lines.
    struct Advanced: Sendable {
        let tab: DetailTab
        let generation: Int
        let viewer: (any BodyViewer)?
        let isFinal: Bool
    }

    /// The result of a search.
    struct Found: Sendable {
        /// The tab of the match.
        let tab: DetailTab
        /// The generation of its page when the search was started, to detect changes since then.
        let generation: Int
        let viewer: (any BodyViewer)?
        /// The match, or nil if there is none.
        let place: SearchPlace?
        let isWrapped: Bool
        /// Whether the screen started the search itself, for the text in the list's filter.
        let isOwn: Bool
    }

    /// Progress in bytes.
    struct Progress: Sendable, Hashable {
        let byteCount: Int
    }

    /// The number of bytes examined between two checks for cancellation.
    private static let sliceByteCount = 8 << 20

    static func read(_ id: ExchangeID, again earlier: DetailSubject?) -> Work<DetailScreen.News> {
        Work("subject", on: .details, isQuiet: earlier != nil) { context in
            .read(try DetailSubject.read(id, again: earlier, context))
        }
    }

    /// Reads the row after or before another one.
    static func neighbour(
        of row: ExchangeRow, isNext: Bool, _ filter: Filter, _ order: RowOrder
    ) -> Work<DetailScreen.News> {
        Work("neighbour", on: .rows) { context in
            let page = try context.rows.page(
                RowRequest(
                    filter: filter, order: order, anchor: isNext ? .after(row) : .before(row),
                    count: 1))
            return .neighbour(
                Neighbour(row: isNext ? page.rows.first : page.rows.last, isNext: isNext))
        }
    }

    /// Finds lines up to one of the viewer's lines, loading the body as needed.
    static func advance(
        _ page: DetailPage, _ tab: DetailTab, toLine line: Int, _ body: DetailBody?,
        _ id: ExchangeID
    ) -> Work<DetailScreen.News> {
        Work("more", on: .details) { context, report in
            var page = page
            while true {
                _ = page.advance(toLine: line, sliceByteCount)
                guard let viewer = page.viewer, viewer.lineCount < line else { break }
                let extent = page.shown?.source.extent ?? BodyExtent()
                if viewer.isComplete, extent.isComplete { break }
                if context.isCancelled() { throw WorkCancelled() }
                if !extent.isComplete, let loaded = page.shown?.loaded {
                    let known = loaded.extent
                    body?.load(loaded, upTo: max(sliceByteCount, known.byteCount * 2), id, context)
                    // Nothing more was loaded, and nothing will be.
                    if loaded.extent == known { break }
                }
                report(
                    .advanced(
                        Advanced(
                            tab: tab, generation: page.generation, viewer: page.viewer,
                            isFinal: false)))
            }
            return .advanced(
                Advanced(
                    tab: tab, generation: page.generation, viewer: page.viewer, isFinal: true))
        }
    }

    /// Searches heads and bodies stop by stop, and then finds the line of the match.
    static func search(
        _ search: ExchangeSearch, _ stops: [SearchStop], _ subject: DetailSubject,
        isOwn: Bool = false
    ) -> Work<DetailScreen.News> {
        Work("search", on: .searches) { context, report in
            let progress = { (byteCount: Int) in
                report(.progress(Progress(byteCount: byteCount)))
            }
            for stop in stops {
                guard let page = search.pages.first(where: { $0.tab == stop.tab })?.page else {
                    continue
                }
                if context.isCancelled() { throw WorkCancelled() }
                guard
                    let (place, viewer) = try find(
                        search, stop, page, subject, context, progress)
                else {
                    continue
                }
                return .found(
                    Found(
                        tab: stop.tab, generation: page.generation, viewer: viewer, place: place,
                        isWrapped: stop.isWrapped, isOwn: isOwn))
            }
            return .found(
                Found(
                    tab: .overview, generation: 0, viewer: nil, place: nil, isWrapped: false,
                    isOwn: isOwn))
        }
    }

    private static func find(
        _ search: ExchangeSearch, _ stop: SearchStop, _ page: DetailPage,
        _ subject: DetailSubject, _ context: WorkContext, _ progress: @escaping (Int) -> Void
    ) throws -> (SearchPlace, (any BodyViewer)?)? {
        switch stop.extent {
        case .head(let lines):
            return search.line(in: lines, of: page).map { (.head(line: $0), page.viewer) }
        case .body(let range):
            guard let shown = page.shown, let viewed = page.viewed, var viewer = page.viewer,
                let needle = search.needle.bytes(TextEncoding(viewed.facts))
            else { return nil }
            let body = shown.message.map { subject.body($0) }
            let bodySearch = BodySearch(
                needle: needle, source: viewed.source,
                load: { byteCount in
                    if let loaded = shown.loaded {
                        body?.load(loaded, upTo: byteCount, subject.row.id, context)
                    }
                },
                isCancelled: context.isCancelled,
                progress: progress)
            guard let match = bodySearch.match(in: range, search.direction) else { return nil }
            let line = try find(match.lowerBound, &viewer, context, progress)
            return (.body(line: line, range: match), viewer)
        }
    }

    private static func find(
        _ offset: Int, _ viewer: inout any BodyViewer, _ context: WorkContext,
        _ progress: (Int) -> Void
    ) throws -> Int? {
        var last = -1
        while true {
            if let line = viewer.line(atOffset: offset) { return line }
            guard !viewer.isComplete, viewer.indexedByteCount != last else { return nil }
            if context.isCancelled() { throw WorkCancelled() }
            last = viewer.indexedByteCount
            viewer.advance(byteBudget: sliceByteCount)
            progress(viewer.indexedByteCount)
        }
    }
}
