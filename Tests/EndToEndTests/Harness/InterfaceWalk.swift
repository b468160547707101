import Foundation
import Testing

/// The interface on a store of hostile traffic, walked through page by page.
final class InterfaceWalk {
    static let rows = 50
    let terminal: PseudoTerminal

    init(store directory: String) throws {
        terminal = try PseudoTerminal(
            try Tool.built("proxyctl"), ["--data-dir", directory], dialect: .fullScreen,
            columns: 160, rows: InterfaceWalk.rows)
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
}
