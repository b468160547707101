import Testing

@testable import ProxydTUI

struct LinePagerTests {
    private static let rows = 10

    /// Every row of every line, from the top to the end, by pages.
    private func pages(_ heights: [Int], step: Int, down: Bool = true) -> [Int] {
        var pager = LinePager()
        let starts = heights.indices.map { heights[..<$0].reduce(0, +) }
        let height = { (line: Int) in heights[line] }
        if !down {
            pager.go(to: heights.count - 1, count: heights.count)
            pager.show(rows: Self.rows, count: heights.count, height: height)
        }
        var offsets = [starts[pager.top] + pager.topRow]
        for _ in 0..<200 {
            pager.scroll(
                by: down ? step : -step, count: heights.count, rows: Self.rows, height: height)
            pager.show(rows: Self.rows, count: heights.count, height: height)
            #expect(pager.cursor >= pager.top)
            let offset = starts[pager.top] + pager.topRow
            if offset == offsets.last { break }
            offsets.append(offset)
        }
        #expect(pager.cursor == (down ? heights.count - 1 : 0))
        return offsets
    }

    private static let shapes = [
        Array(repeating: 1, count: 35), [1, 1, 57, 1, 1, 12, 3], [200], [3, 3, 3, 3, 3, 3, 3, 3],
        [1],
        [9, 11, 10, 9, 11, 10],
    ]

    @Test(arguments: shapes)
    func `paging down skips no screen row, however many rows each wrapped line takes`(
        _ heights: [Int]
    ) {
        for step in [1, 3, 5, 9] {
            let offsets = pages(heights, step: step)
            for (before, after) in zip(offsets, offsets.dropFirst()) {
                #expect(after > before && after - before <= step, "\(offsets)")
            }
            #expect(offsets.last == max(0, heights.reduce(0, +) - Self.rows))
        }
    }

    @Test(arguments: shapes)
    func `paging up skips no screen row, however many rows each wrapped line takes`(
        _ heights: [Int]
    ) {
        let offsets = pages(heights, step: 9, down: false)
        for (before, after) in zip(offsets, offsets.dropFirst()) {
            #expect(after < before && before - after <= 9, "\(offsets)")
        }
        #expect(offsets.last == 0)
    }

    @Test func `scrolling by a page moves the cursor by the same number of lines`() {
        var pager = LinePager()
        pager.go(to: 4, count: 100)
        pager.scroll(by: 9, count: 100, rows: 10) { _ in 1 }
        #expect(pager.top == 9 && pager.cursor == 13)
        pager.scroll(by: -9, count: 100, rows: 10) { _ in 1 }
        #expect(pager.top == 0 && pager.cursor == 4)
    }
}
