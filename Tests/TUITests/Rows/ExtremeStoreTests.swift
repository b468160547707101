@testable import Capture
import ProxydCaptureModel
import ProxydFilter
import ProxydHTTPModel
import ProxydStoreTestSupport
import ProxydTestSupport
import Testing

@testable import ProxydTUI

/// A store in which a number is one of the ends of all numbers: every screen shows something.
@Suite struct `The ends of all numbers on screens` {
    private let folder = TemporaryFolder()
    private let sound: DataDirectory

    init() throws {
        sound = DataDirectory(path: folder.path + "/sound")
        var configuration = RecorderConfiguration()
        configuration.freeSpaceFloorByteCount = 0
        let recorder = try Recorder(directory: sound, configuration: configuration)
        let samples = [DetailSamples.post, DetailSamples.answer("text/plain", [0x61])]
        _ = try recorder.wait { recorder.store(samples + samples, completion: $0) }
        recorder.record(
            ExchangeUpdate(
                id: recorder.nextExchangeID(), state: .active, timeline: DetailSamples.timeline,
                isFirst: true))
        recorder.stop()
    }

    @Test(.timeLimit(.minutes(10)))
    func `no screen crashes on a store with an extreme number in any column`() throws {
        let columns = try NumberColumn.read(from: sound.storePath)
        for (column, number) in NumberColumn.inTurn(columns, NumberColumn.ends) {
            let directory = try copyOfSound()
            try column.set(number, in: directory.storePath)
            try play(directory)
        }
    }

    /// Each moment of the timeline is as far as can be from the one before.
    @Test(.timeLimit(.minutes(10)), arguments: ["FF", "FE"])
    func `no screen crashes on an exchange with extreme gaps in its timeline`(first: String) throws
    {
        let step = first + String(repeating: "FF", count: 8) + "01"
        let moments = "FFFF03" + String(repeating: step, count: 18)
        for number in [0, 1] + NumberColumn.ends {
            let directory = try copyOfSound()
            try UncheckedDatabase.edit(
                directory.storePath,
                "UPDATE exchange SET started_ns = \(number), timeline = x'\(moments)'")
            try play(directory)
        }
    }

    @Test(.timeLimit(.minutes(10)), arguments: NumberColumn.ends)
    func `no screen crashes if a store's only exchange has the lowest or highest possible ID`(
        number: Int64
    ) throws {
        try UncheckedDatabase.edit(
            sound.storePath,
            """
            DELETE FROM exchange WHERE id > 1;
            UPDATE exchange SET id = \(number);
            UPDATE content SET exchange_id = \(number) WHERE exchange_id = 1;
            """)
        let player = try play(sound)
        #expect(player.text.contains("/orders"))
    }

    private func copyOfSound() throws -> DataDirectory {
        let path = folder.path + "/damaged"
        try FolderCopy.make(of: sound.path, at: path)
        return DataDirectory(path: path)
    }

    @discardableResult
    private func play(_ directory: DataDirectory) throws -> StorePlayer {
        let reader = try StoreReader(directory: directory)
        let player = StorePlayer(reader)
        player.press(.last, .first, .down)
        player.press(.showWaterfall, .zoomIn, .zoomOut, .later, .zoomFit, .showWaterfall)
        player.press(.reverse, .reload, .reverse)
        player.press(.showSummary, .down, .down, .back)
        player.press(.showTree, .unfoldBranch, .down, .unfoldBranch, .sortTree, .back)
        player.press(.open)
        for tab in ActionID.tabs { player.press(tab) }
        player.press(.previousExchange, .nextExchange, .back, .last)
        player.press(.filter)
        player.type("method~. or size>=0")
        player.update(.input(.key(.enter)))
        try UncheckedDatabase.edit(directory.storePath, "UPDATE exchange SET reason = 'new'")
        player.update(.storeChanged)
        player.press(.clearFilter, .last)
        try readSorted(StoreRows(reader))
        return player
    }

    private func readSorted(_ rows: StoreRows) throws {
        for column in [SortColumn.time, .status, .size, .duration] {
            let order = RowOrder(column: column, isDescending: true)
            let page = try rows.page(
                RowRequest(filter: .everything, order: order, anchor: .first, count: 2))
            guard let last = page.rows.last else { continue }
            _ = try rows.page(
                RowRequest(filter: .everything, order: order, anchor: .after(last), count: 9))
        }
    }
}
