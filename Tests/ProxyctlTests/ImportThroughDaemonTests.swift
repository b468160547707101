import Capture
import ProxydCaptureModel
import ProxydControl
import ProxydEventLoops
import Foundation
import ProxydHTTPModel
@testable import proxyctl
import ProxydStoreTestSupport
import ProxydTestSupport
import Testing

/// Imports while a daemon has the store.
@Suite struct ImportThroughDaemonTests {
    /// Too long for one command to the daemon.
    private let longByteCount = 1_200_000

    @Test(arguments: ["har", "jsonl"])
    func `an import through the daemon stores exchanges unchanged, even if bodies exceed 1 MB`(
        format: String
    ) throws {
        var long = SampleExchange.upload
        long.response?.body = Body([UInt8](repeating: 7, count: longByteCount))
        var ruled = SampleExchange.ruled
        ruled.response?.sentBody = Body([UInt8](repeating: 8, count: longByteCount))
        let samples = [
            SampleExchange.search, SampleExchange.login, SampleExchange.malformed, long, ruled,
        ]
        let source = try SampleStore(samples)
        let path = source.scratch.path + "/out.\(format)"
        #expect(source.run("export", "--format", format, "--output", path).code == 0)

        let target = try SampleStore([])
        let daemon = try RecordingDaemon(target.directory)
        let run = target.run("import", path)
        #expect(run.code == 0)
        #expect(run.output == "imported 5 exchanges, 1 to 5\n")
        let login = try #require(try target.objects(target.run("list", "--json")).dropFirst().first)
        #expect(login["note"] as? String == "the login")
        #expect(login["tags"] as? [String] == ["auth", "slow"])
        #expect(login["pinned"] as? Bool == true)
        daemon.stop()
        // Not compared within the expectation: describing so large a difference takes hours.
        let before = source.run("show", "4", "--body").bytes
        let isEqual = target.run("show", "4", "--body").bytes == before
        #expect(isEqual && before.count == longByteCount)
        #expect(target.run("list", "--json").lines == source.run("list", "--json").lines)
        let events = try [source, target].map { store in
            try StoreReader(directory: store.directory).exchange(ExchangeID(rawValue: 5))?.events
        }
        let isSame = events[0] == events[1]
        #expect(isSame && events[0]?.count == 6)
    }

    @Test func `an import through the daemon rejects entries whose heads or notes exceed 2 MiB`()
        throws
    {
        let target = try SampleStore([])
        let fields = (0..<150_000).map { #"{"name":"x\#($0)","value":"0123456789"}"# }
        func entry(_ path: String, _ fields: String, comment: String = "") -> String {
            #"{"startedDateTime":"2026-11-20T10:00:00Z","request":{"method":"GET","#
                + #""url":"http://a.test\#(path)","headers":[\#(fields)]},"comment":"\#(comment)"}"#
        }
        let entries = [
            entry("/1", ""), entry("/2", fields.joined(separator: ",")), entry("/3", ""),
            entry("/4", "", comment: String(repeating: "n", count: 3 << 20)), entry("/5", ""),
        ]
        let path = try target.scratch.write(
            "a.har", #"{"log":{"entries":[\#(entries.joined(separator: ","))]}}"#)
        let daemon = try RecordingDaemon(target.directory)
        let run = target.run("import", path)
        daemon.stop()
        #expect(run.code == 0)
        #expect(run.output == "imported 3 exchanges, 1 to 3; refused 2\n")
        #expect(run.errors.contains("entry 2: its heads are longer than 2 MiB\n"))
        #expect(run.errors.contains("entry 4: its note and tags are longer than 2 MiB\n"))
    }
}

/// A control socket in front of a recorder.
private final class RecordingDaemon {
    private let recorder: Recorder
    private let server: ControlServer
    private let group: EventLoopGroup

    init(_ directory: DataDirectory) throws {
        recorder = try Recorder(directory: directory)
        group = try EventLoopGroup(count: 1)
        server = try ControlServer(
            dataDirectory: directory.path, on: group.loops[0], handler: Handler(recorder))
    }

    func stop() {
        server.stop()
        group.shutdown()
        recorder.stop()
    }

    private final class Handler: ControlHandler {
        private let recorder: Recorder

        init(_ recorder: Recorder) { self.recorder = recorder }

        func annotate(_ change: AnnotationChange, completion: @escaping ControlCompletion<Int>) {
            recorder.annotate(change) { completion($0.map { 1 }.mapError(Handler.failed)) }
        }

        func noteDelivery(
            _ progress: DeliveryProgress, completion: @escaping ControlCompletion<Void>
        ) { completion(.failure(ControlError(.failed, "not here"))) }

        func addProtoFile(
            _ file: ProtoFile, completion: @escaping ControlCompletion<Void>
        ) { completion(.failure(ControlError(.failed, "not here"))) }

        func removeProtoFile(named name: String, completion: @escaping ControlCompletion<Void>) {
            completion(.failure(ControlError(.failed, "not here")))
        }

        func nextExchangeID() -> ExchangeID { recorder.nextExchangeID() }
        func nextConnectionID() -> ConnectionID { recorder.nextConnectionID() }

        func importExchanges(
            connections: [ConnectionRecord], updates: [ExchangeUpdate],
            completion: @escaping ControlCompletion<Void>
        ) {
            for connection in connections { recorder.record(connection) }
            for update in updates { recorder.record(update) }
            recorder.flush { completion($0.mapError(Handler.failed)) }
        }

        func serverRules(completion: @escaping ControlCompletion<ServerRulesStatus>) {
            completion(.failure(ControlError(.failed, "not here")))
        }

        func status(completion: @escaping ControlCompletion<DaemonStatus>) {
            completion(.failure(ControlError(.failed, "not asked for")))
        }
        func clear(filter: String?, completion: @escaping ControlCompletion<Int>) {
            completion(.success(0))
        }
        func setRecording(_ isOn: Bool, completion: @escaping ControlCompletion<Void>) {
            completion(.success(()))
        }

        private static func failed(_ error: StoreError) -> ControlError {
            ControlError(.failed, "\(error)")
        }
    }
}
