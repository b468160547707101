internal import FuzzSupport
internal import ProxydCaptureModel

@testable internal import ProxydPresentation
@testable internal import ProxydTUI

/// One body on one screen.
struct ViewerRun {
    private static let depthMax = 8

    private var page: DetailPage
    private let columns: Int
    private let rows: Int
    private var depth = 0

    init(_ facts: BodyFacts, _ body: LoadedBody, _ viewer: String, columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
        let shown = DetailPage.Shown(
            partTitle: nil, facts: facts, source: body, loaded: body, message: .response)
        page = DetailPage(
            head: [StyledText("head")], shown, viewers: BodyViewers.all, preferred: viewer)
        look()
    }

    /// What a person may do, one byte each.
    mutating func press(_ key: UInt8) {
        let step = Int(key >> 3)
        switch key & 0x07 {
        case 0: page.pager.go(to: min(step, max(0, page.lineCount - 1)), count: page.lineCount)
        case 1: page.pager.go(to: max(0, page.lineCount - 1), count: page.lineCount)
        case 2: _ = page.toggleFold()
        case 3: _ = page.fold(depth: step & 1 == 0 ? nil : step >> 1)
        case 4: if depth < ViewerRun.depthMax, page.openPart() { depth += 1 }
        case 5: if page.closePart() { depth -= 1 }
        case 6: page.pager.toggleWrapping()
        default: break
        }
        look()
    }

    /// Draws what the screen would show, and checks it.
    mutating func look() {
        let width = max(1, columns - 2)
        _ = page.advance(rows: rows, byteBudget: 1 << 16)
        let current = page
        page.pager.show(rows: max(1, rows), count: page.lineCount) {
            current.height(of: $0, width: width)
        }
        let first = page.pager.top
        for line in page.lines(first..<first + rows + 1) {
            require(ViewerRun.isSafe(line.safeText), "\(page.viewerName ?? "none") shows a control")
            if page.pager.wraps {
                require(line.rowCount(width: width) == line.rows(width: width).count, "rows differ")
            }
        }
        _ = page.height(of: first, width: width)
        checkPlaces()
    }

    /// Where a line is and which line a byte is on are answered within bounds.
    private func checkPlaces() {
        guard let viewer = page.viewer else { return }
        for line in [0, viewer.lineCount / 2, viewer.lineCount - 1] where line >= 0 {
            guard line < viewer.lineCount, let offset = viewer.offset(ofLine: line) else {
                continue
            }
            require(offset >= 0, "a line begins before the body")
        }
        for offset in [0, viewer.indexedByteCount / 2, viewer.indexedByteCount] {
            let line = viewer.line(atOffset: offset)
            require(
                line.map { (0...viewer.lineCount).contains($0) } ?? true, "a byte is on no line")
        }
        _ = viewer.remark
    }

    private static func isSafe(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy {
            $0.value >= 0x20 && $0.value != 0x7F && !(0x80...0x9F).contains($0.value)
                && $0.properties.generalCategory != .format
        }
    }
}
