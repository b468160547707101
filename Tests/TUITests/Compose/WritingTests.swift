import Foundation
import ProxydCaptureModel
import ProxydHTTPModel
import ProxydPresentation
import Synchronization
import Testing

@testable import Capture
@testable import ProxydTUI
import ProxydOperations

/// Exchanges and bodies are written into files that only their owner reads.
struct WritingTests {
    /// Writes a line for what it was asked for.
    private final class Exporter: ExchangeExporting {
        let orders = Mutex<[ExportOrder]>([])

        func export(
            _ order: ExportOrder, write: @escaping @Sendable ([UInt8]) throws -> Void,
            progress: (ExportProgress) -> Bool
        ) throws -> ExportSummary {
            orders.withLock { $0.append(order) }
            try write(Array("\(order.format.rawValue)\n".utf8))
            _ = progress(ExportProgress(exchangeCount: 1, fraction: 0.5))
            return ExportSummary(exchangeCount: 2, leftOutCount: 1)
        }
    }

    private let folder = TemporaryFolder()
    private let exporter = Exporter()

    init() throws {
        try FileManager.default.createDirectory(
            atPath: folder.path, withIntermediateDirectories: true)
    }

    private func player(_ exchange: Exchange = DetailSamples.post) -> ComposePlayer {
        let player = ComposePlayer([exchange])
        player.hostActions.exporting = exporter
        return player
    }

    private func contents(_ name: String) throws -> String {
        try String(contentsOfFile: folder.path + "/" + name, encoding: .utf8)
    }

    /// Types a name into the last question of a dialog.
    private func name(_ name: String, _ player: ComposePlayer, tabs: Int) {
        for _ in 0..<tabs { player.press(.tab) }
        player.press(.control("u"))
        player.type(folder.path + "/" + name)
        player.press(.enter)
    }

    @Test
    func `the export dialog matches its golden file and suggests a name for the chosen format`()
        throws
    {
        let player = player()
        player.press(Key("m"), Key("X"))
        try Golden.expect(player.text, "ExportDialog-80x24")
        player.press(.tab, Key(.right), Key(.right))
        #expect(player.text.contains("exchanges.jsonl"))
    }

    @Test
    func `an export is complete, readable only by its owner, and without credentials by default`()
        throws
    {
        let player = player()
        player.press(Key("m"), Key("X"))
        name("a.har", player, tabs: 3)
        #expect(try contents("a.har") == "har\n")
        #expect(folder.mode("a.har") == 0o600)
        #expect(player.text.contains("exported 2 exchanges, without 1 part that"))
        let order = exporter.orders.withLock { $0.first }
        #expect(order?.isRedacted == true)
        #expect(order?.selection == .exchanges([ExchangeID(rawValue: 1)]))
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(files == ["a.har"])
    }

    @Test
    func `all exchanges that match the filter can be exported as curl commands with credentials`() {
        let player = player()
        player.press(Key("X"), .tab, Key("l"), .tab, Key("l"), .tab)
        name("b.sh", player, tabs: 0)
        #expect(
            exporter.orders.withLock { $0.first }
                == ExportOrder(selection: .filter(""), format: .curl, isRedacted: false))
    }

    @Test func `an export overwrites an existing file only after confirmation`() throws {
        try "mine".write(toFile: folder.path + "/a", atomically: true, encoding: .utf8)
        let player = player()
        player.press(Key("X"))
        name("a", player, tabs: 3)
        #expect(player.text.contains("The file already exists"))
        player.press(Key("o"))
        player.type("2")
        player.press(.enter)
        #expect(try contents("a") == "mine" && contents("a2") == "har\n")
        player.press(Key("X"))
        name("a", player, tabs: 3)
        player.press(Key("r"))
        #expect(try contents("a") == "har\n")
        #expect(folder.mode("a") == 0o600)
    }

    @Test func `a cancelled export leaves no file`() throws {
        let player = player()
        player.heldSlots = ["write"]
        player.press(Key("X"))
        name("a", player, tabs: 3)
        player.press(.escape)
        #expect(player.cancelledSlots == ["write"])
        player.runHeld(isCancelled: true)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test func `an export to a missing directory reports the error`() {
        let player = player()
        player.press(Key("X"))
        name("no/such/folder", player, tabs: 3)
        #expect(player.text.contains("No such file or directory"))
    }

    // MARK: Bodies

    @Test func `a response body is saved decoded or as received`() throws {
        let coded = try ContentCodingSample.gzip("hello")
        let player = player(
            DetailSamples.exchange(
                1, .get, "/data/report.json", [], "",
                [
                    (name: "Content-Encoding", value: "gzip"),
                    (name: "Content-Type", value: "application/json"),
                ], coded))
        player.press(Key("b"))
        #expect(player.text.contains("report.json"))
        name("plain", player, tabs: 0)
        #expect(try contents("plain") == "hello")
        player.press(Key("b"), .backtab, Key("l"), .tab)
        name("coded", player, tabs: 0)
        #expect(FileManager.default.contents(atPath: folder.path + "/coded") == Data(coded))
    }

    @Test func `pressing b in the exchange view saves the body that is shown`() throws {
        let player = player()
        player.press(.enter, Key("2"), Key("b"))
        name("form", player, tabs: 0)
        #expect(try contents("form") == "item=42&note=two+words")
    }

    @Test(arguments: [
        ("/a/report.json", "report.json"), ("/", "response-7.bin"), ("/.bashrc", "bashrc-7.bin"),
        ("/-rf", "rf-7.bin"), ("/a\u{1B}b\u{202E}.tx", "a_b_.tx"), ("/x/../..", "response-7.bin"),
        ("/日本", "__-7.bin"),
    ])
    func `suggested file names have no leading dot or hyphen and no control characters`(
        _ path: String, _ name: String
    ) {
        let row = Rows.row(7) { $0.path = path }
        #expect(FileNames.body(row, .response, fileExtension: "bin") == name)
    }

    @Test func `pressing Y copies a curl command with credentials, and Alt-y one without`() {
        let player = player()
        player.press(Key("Y"), .alt("y"))
        let texts = player.copied.map { String(decoding: $0.bytes, as: UTF8.self) }
        #expect(texts.map { $0.contains("sid=abc") } == [true, false])
    }

    @Test
    func `pressing Alt-H copies the request head, and pressing Alt-B copies the request body`() {
        let player = player()
        player.press(.alt("H"), .alt("B"))
        #expect(player.copied.map(\.name) == ["head", "body"])
        let texts = player.copied.map { String(decoding: $0.bytes, as: UTF8.self) }
        #expect(
            texts == [
                "POST /orders?dry=1&q=caf%C3%A9+noir HTTP/1.1\r\nHost: api.test\r\n"
                    + "Content-Type: application/x-www-form-urlencoded\r\n"
                    + "Cookie: sid=abc; theme=dark\r\n\r\n",
                "item=42&note=two+words",
            ])
    }
}
