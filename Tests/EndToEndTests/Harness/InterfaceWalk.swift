import Foundation
import Testing

/// The interface on a store of hostile traffic, walked through page by page. Nothing waits for
/// time: a screen is examined as soon as it says that nothing is under way any more.
final class InterfaceWalk {
    static let rows = 50
    /// Fewer than for two panes: an exchange has the screen for itself.
    private static let columns = 159
    let terminal: PseudoTerminal

    init(store directory: String) throws {
        terminal = try PseudoTerminal(
            try Tool.built("proxyctl"), ["--data-dir", directory], dialect: .fullScreen,
            columns: InterfaceWalk.columns, rows: InterfaceWalk.rows)
        try terminal.wait(for: "Enter open")
    }

    /// Leaves; nothing was sent that must not be.
    func leave(location: SourceLocation = #_sourceLocation) throws {
        terminal.type("Q")
        #expect(try terminal.finish() == 0, sourceLocation: location)
        for what in terminal.stream.refused {
            Issue.record("the terminal got \(what)", sourceLocation: location)
        }
    }

    /// Waits for a whole page of rows that begins with a lower number than the page before; the
    /// first of its numbers.
    func rowsBefore(_ number: Int) throws -> Int {
        var top = number
        try terminal.wait("the rows before \(number)") { grid in
            let numbers = (1...InterfaceWalk.rows - 5).compactMap { row in
                grid.line(row).firstMatch(of: /[0-9]+/).flatMap { Int($0.0) }
            }
            top = numbers.first ?? number
            return top < number && numbers == Array(top..<top + InterfaceWalk.rows - 5)
        }
        return top
    }

    // MARK: Going from screen to screen

    /// Types keys, and waits until what they began is done and drawn; that screen.
    ///
    /// Keys are taken in turn, so the screen that C-l has drawn anew shows what the keys before it
    /// did. It is drawn from the top down: the last thing in it is the size of the store, in front
    /// of which a `…` stands while anything is being read.
    @discardableResult
    func go(_ keys: String) throws -> String {
        let wipeCount = terminal.stream.wipeCount
        terminal.type(keys + "\u{0C}")
        return try terminal.wait("the end of \(keys.debugDescription)") { [terminal] grid in
            guard terminal.stream.wipeCount > wipeCount else { return false }
            let status = grid.line(-1)
            return !status.contains("… ") && status.contains(/[0-9] [kMG]?B *$/)
        }
    }

    /// The same, with a text in that screen.
    func go(_ keys: String, to text: String, location: SourceLocation = #_sourceLocation) throws {
        let screen = try go(keys)
        #expect(screen.contains(text), "\(keys.debugDescription)", sourceLocation: location)
    }

    /// Leaves the topmost screen. An ESC is a key when nothing follows it: the next one is typed
    /// when the screen below is there, which shows a text that the topmost one does not.
    func close(to text: String = "Enter open") throws {
        terminal.type("\u{1B}")
        try terminal.wait(for: text)
        try go("")
    }

    /// Shows what passes a filter.
    func filter(_ text: String) throws {
        terminal.type("/")
        try terminal.wait(for: "C-u clears")
        try go("\u{15}\(text)\r", to: "/\(text)")
    }

    /// Goes on by a key until that changes nothing; the last screen, without spaces: so what is
    /// wrapped is whole in it.
    @discardableResult
    func follow(_ key: String) throws -> String {
        var screen = try go("")
        while true {
            let next = try go(key)
            if next == screen { return screen.filter { !$0.isWhitespace } }
            screen = next
        }
    }

    /// Every viewer that suits the body; their names. The first, which fits best, is gone through
    /// from beginning to end, others where that was not done for another body.
    func viewers(of body: String, but done: Set<String>) throws -> [String] {
        var seen: [String] = []
        while let name = viewer, !seen.contains(name) {
            if name == "hex" {
                // Of bytes in rows of sixteen one page is like the other.
                try go(" ")
                try go("G")
            } else if seen.isEmpty || !done.contains(name) {
                let last = try follow(" ")
                #expect(last.contains(HostileTraffic.end) || name == "image", "\(name) of \(body)")
            }
            seen.append(name)
            try go("v")
        }
        return seen
    }

    /// The name in brackets in the line below the detail.
    private var viewer: String? {
        terminal.stream.grid.line(-3).firstMatch(of: /\[([a-z ]+)\]/).map { String($0.1) }
    }

    /// A question, with something pasted into its answer; given up then.
    func question(_ key: String, showing title: String, pasting text: String) throws {
        terminal.type(key)
        try terminal.wait(for: title)
        terminal.type("\u{1B}[200~\(text)\u{1B}[201~zz-typed")
        try terminal.wait(for: "zz-typed")
        try close()
    }

    /// Copies something; what the clipboard got.
    func copy(_ key: String) throws -> Data? {
        let count = terminal.stream.copied.count
        try go(key)
        #expect(terminal.stream.copied.count == count + 1, "\(key.debugDescription)")
        return terminal.stream.copied.last
    }
}
