import Foundation
import Testing

@testable import ProxydTUI

@Suite struct `Columns of the list` {
    private let folder = TemporaryFolder()

    private func player(_ columns: Int = 120) -> Player {
        Player(
            ScriptedRows(Rows.varied), size: Size(columns: columns, rows: 24),
            first: ListScreen(memory: .load(folder.path)))
    }

    private func headings(_ player: Player) -> [String] {
        player.lines[0].split(separator: " ").map(String.init)
    }

    /// Goes to a column in the panel, which is opened first.
    private func go(_ player: Player, to column: ListColumns.Column) {
        player.type("Cg")
        let panel = { player.app.entries.last?.model as? ColumnsScreen }
        for _ in ListColumns.Column.allCases
        where panel().map({ $0.choice.entries[$0.cursor.selected].column }) != column {
            player.type("j")
        }
    }

    @Test func `a column of the list can be switched off and on again`() {
        let player = player()
        #expect(
            headings(player) == [
                "time", "method", "host", "path", "st", "proto", "type", "size", "took",
            ])
        go(player, to: .proto)
        player.press(.space, .enter)
        #expect(!headings(player).contains("proto"))
        go(player, to: .proto)
        player.press(.space, .enter)
        #expect(headings(player).contains("proto"))
    }

    @Test func `columns that the list hides by default can be switched on`() {
        let player = player(200)
        go(player, to: .server)
        player.press(.space, .enter)
        go(player, to: .sent)
        player.press(.space, .enter)
        #expect(headings(player).suffix(2) == ["sent", "server"])
        #expect(player.lines[1].hasSuffix("192.0.2.1:443"))
    }

    @Test func `a column that was switched on is shown even on a narrow screen`() {
        let player = player(80)
        #expect(!headings(player).contains("process"))
        go(player, to: .process)
        #expect(player.text.contains("[-] process"))
        player.press(.space, .enter)
        #expect(headings(player).contains("process"))
        #expect(headings(player).contains("path"))
    }

    @Test func `the list's columns fit the screen, and the path keeps a width of at least 12`() {
        let player = player(80)
        for name in [ListColumns.Column.process, .server, .client, .type] {
            go(player, to: name)
            player.press(.space, .enter)
        }
        for width in [40, 60, 80, 100, 130, 200] {
            player.update(.input(.resize(Size(columns: width, rows: 24))))
            let columns = ListColumns(
                width: width,
                choice: (player.app.entries[0].model as? ListScreen)?.memory.columns ?? .standard)
            let path = columns.slots.first { $0.column == .path }
            #expect((path?.width ?? 0) >= 12, "\(width)")
            let end = columns.slots.last.map { $0.start + $0.width } ?? 0
            #expect(end <= width, "\(width)")
        }
    }

    @Test func `clicking the heading of a moved column sorts the list by that column`() {
        let player = player()
        go(player, to: .status)
        player.type("KKKKK")
        player.press(.enter)
        #expect(headings(player).prefix(2) == ["st", "time"])
        player.mouse(.press, column: 7, row: 0)
        #expect(player.text.contains("by status"))
    }

    @Test func `the path column of the list cannot be switched off`() {
        let player = player()
        go(player, to: .path)
        player.press(.space)
        #expect(player.text.contains("the path is always shown"))
        player.press(.enter)
        #expect(headings(player).contains("path"))
    }

    @Test func `Escape in the column chooser keeps the columns as they were`() {
        let player = player()
        let former = headings(player)
        go(player, to: .host)
        player.press(.space)
        player.type("J")
        player.press(.escape)
        #expect(headings(player) == former)
    }

    @Test
    func `the choice of columns is kept for later sessions, and pressing V restores the default`() {
        let first = player()
        go(first, to: .host)
        first.press(.space)
        first.type("G")
        first.press(.space, .enter)
        let second = player(200)
        #expect(!headings(second).contains("host"))
        #expect(headings(second).last == "listener")
        second.type("CV")
        second.press(.enter)
        let standard = headings(player(200))
        #expect(standard.contains("host"))
        #expect(standard.last == "process")
        #expect(folder.mode("filters") == 0o600)
    }

    @Test func `unknown columns in a column choice stored by another version are ignored`() {
        let choice = ColumnChoice("+size colour -host size path path -path")
        #expect(
            choice.text
                == "+size -host path marks id time method status proto type duration process "
                + "-sent -client -server -user -listener")
        #expect(ColumnChoice(choice.text) == choice)
        #expect(ColumnChoice("") == .standard)
        #expect(ColumnChoice(ColumnChoice.standard.text) == .standard)
    }

    @Test func `two terminal interfaces do not overwrite each other's saved filters and columns`()
        throws
    {
        let (first, second) = (player(), player())
        go(first, to: .host)
        first.press(.space, .enter)
        second.type("/status=404")
        second.press(.control("s"), .escape)
        let memory = ListMemory.load(folder.path)
        #expect(memory.filters.saved.map(\.text) == ["status=404"])
        #expect(memory.columns.entries.contains { $0.column == .host && $0.visibility == .never })
    }
}
