@testable import Capture
@testable import proxyctl
import ProxydFilter
import ProxydStoreTestSupport
import ProxydTestSupport
import Testing

/// A store in which a number is one of the ends of all numbers: commands say what they find in it.
@Suite struct `The ends of all numbers in commands` {
    private let store: SampleStore

    init() throws {
        store = try SampleStore()
    }

    private func copyOfStore() throws -> DataDirectory {
        let path = store.scratch.path + "/damaged"
        try FolderCopy.make(of: store.directory.path, at: path)
        return DataDirectory(path: path)
    }

    @Test(.timeLimit(.minutes(10)))
    func `proxyctl does not crash if a column of the store has the smallest or largest integer`()
        throws
    {
        let columns = try NumberColumn.read(from: store.directory.storePath)
        for (column, number) in NumberColumn.inTurn(columns, NumberColumn.ends) {
            let directory = try copyOfStore()
            try column.set(number, in: directory.storePath)
            try run(
                directory,
                [
                    ["list"], ["show", "1"], ["show", "2", "--json"],
                    ["export", "--format", "har"],
                ])
        }
    }

    /// Each moment of the timeline is as far as can be from the one before.
    @Test(.timeLimit(.minutes(10)), arguments: ["FF", "FE"])
    func `proxyctl does not crash if the times of an exchange are extremely far apart`(
        first: String
    ) throws {
        let step = first + String(repeating: "FF", count: 8) + "01"
        let moments = "FFFF03" + String(repeating: step, count: 18)
        for number in [0, 1] + NumberColumn.ends {
            let directory = try copyOfStore()
            try UncheckedDatabase.edit(
                directory.storePath,
                "UPDATE exchange SET started_ns = \(number), timeline = x'\(moments)'")
            try run(directory)
        }
    }

    @Test(.timeLimit(.minutes(10)), arguments: NumberColumn.ends)
    func `proxyctl does not crash if the only exchange has the smallest or largest possible ID`(
        number: Int64
    ) throws {
        try UncheckedDatabase.edit(
            store.directory.storePath,
            """
            DELETE FROM exchange WHERE id > 1;
            UPDATE exchange SET id = \(number);
            UPDATE content SET exchange_id = \(number) WHERE exchange_id = 1;
            """)
        let list = CommandRun(["--data-dir", store.directoryPath, "list", "--json"])
        #expect(list.lines.count == 1)
        try run(store.directory)
    }

    private static let commands = [
        ["list"], ["list", "--json", "duration>0 or time>-5m"], ["show", "1"],
        ["show", "\(Int64.max)"], ["show", "\(Int64.max)", "--json"],
        ["export", "--format", "har"], ["export", "--format", "jsonl"],
        ["export", "--format", "curl"],
    ]

    private func run(_ directory: DataDirectory, _ commands: [[String]] = commands) throws {
        var follower = try ExchangeFollower(
            StoreReader(directory: directory), Filter.parse("method~. or size>=0"))
        try UncheckedDatabase.edit(directory.storePath, "UPDATE exchange SET state = 1 - state")
        _ = try follower.news()
        for command in commands {
            let run = CommandRun(["--data-dir", directory.path] + command, columns: 80)
            #expect([0, 1].contains(run.code), "\(command): \(run.errors)")
        }
    }
}
