import Testing

@testable import ProxydTUI

@Suite struct `The cursor of a list` {
    private func cursor(_ count: Int, height: Int = 10) -> ListCursor {
        var cursor = ListCursor()
        cursor.height = height
        cursor.count = count
        return cursor
    }

    /// Does actions in turn; where the cursor is then, and the first line that is seen.
    private func places(_ actions: [ActionID], _ count: Int = 100) -> [[Int]] {
        var cursor = cursor(count)
        return actions.map { action in
            let isKnown = cursor.perform(action)
            return isKnown ? [cursor.selected, cursor.top] : []
        }
    }

    @Test func `keys move the list cursor by lines, pages and half pages, and to both ends`() {
        #expect(places([.down, .pageDown, .halfPageDown]) == [[1, 0], [11, 2], [16, 7]])
        #expect(
            places([.last, .up, .pageUp, .halfPageUp, .first])
                == [[99, 90], [98, 90], [88, 88], [83, 83], [0, 0]])
        #expect(places([.up, .pageUp, .left]) == [[0, 0], [0, 0], []])
        #expect(places([.last, .down, .pageDown], 3) == [[2, 0], [2, 0], [2, 0]])
    }

    @Test func `in an empty list, no line is visible and keys leave the cursor at the start`() {
        var cursor = cursor(0)
        for action in [ActionID.up, .down, .pageUp, .pageDown, .first, .last] {
            let isKnown = cursor.perform(action)
            #expect(isKnown)
            #expect(cursor.selected == 0)
            #expect(cursor.visible.isEmpty)
        }
        #expect(cursor.line(at: 0) == nil)
    }

    @Test func `the list cursor stays visible when rows disappear or the screen shrinks`() {
        var cursor = cursor(100)
        cursor.select(99)
        cursor.count = 50
        #expect(cursor.selected == 49)
        #expect(cursor.visible == 40..<50)
        cursor.height = 3
        #expect(cursor.visible == 47..<50)
        cursor.height = 20
        #expect(cursor.visible == 30..<50)
        cursor.count = 5
        #expect(cursor.visible == 0..<5)
        cursor.count = 0
        #expect(cursor.visible.isEmpty)
    }

    @Test func `the mouse wheel moves the list cursor only at the edges of the view`() {
        var cursor = cursor(100)
        cursor.select(5)
        let wheel = { (kind: MouseEvent.Kind) in
            MouseEvent(kind: kind, position: Position(column: 0, row: 0))
        }
        let turn = cursor.use(wheel(.scrollDown))
        #expect(turn == .nothing)
        #expect([cursor.selected, cursor.top] == [5, 3])
        _ = cursor.use(wheel(.scrollDown))
        #expect([cursor.selected, cursor.top] == [6, 6])
        _ = cursor.use(wheel(.scrollUp))
        _ = cursor.use(wheel(.scrollUp))
        _ = cursor.use(wheel(.scrollUp))
        #expect([cursor.selected, cursor.top] == [6, 0])
    }

    @Test func `a list distinguishes a click that selects a line from a second click on that line`()
    {
        var cursor = cursor(12)
        let press = { (row: Int) in
            MouseEvent(kind: .press, button: .left, position: Position(column: 0, row: row))
        }
        let presses = [4, 4, -1, 10].map { cursor.use(press($0)) }
        #expect(presses == [.selected, .again, .nothing, .nothing])
        #expect(cursor.selected == 4)
        cursor.select(11)
        let last = cursor.use(press(0))
        #expect(last == .selected)
        #expect(cursor.selected == 2)
    }
}
