// The code of the page on replaying captures; `SnippetRunTests` runs it.
import Capture
import ClientLib
import ProxydCaptureModel

enum ReplayingSnippets {
    static func captured(_ number: Int64, in path: String) throws -> Exchange? {
        let reader = try StoreReader(directory: DataDirectory(path: path))
        guard let row = try reader.row(ExchangeID(rawValue: number)) else { return nil }
        return try reader.captured(row)?.exchange
    }

    static func exact(_ session: Session, _ exchange: Exchange) async throws {
        let response = await session.replay(of: exchange).serializingData().response
        print(response.response?.status as Any)
    }

    static func edited(_ session: Session, _ exchange: Exchange) async throws {
        let request = session.replay(
            of: exchange, fidelity: .semantic,
            editing: [
                .header(name: "Authorization", value: "Bearer new"),
                .query(name: "debug", value: "1"),
                .json(path: "user.tags[0]", value: #""new""#),
            ])
        print(try await request.serializingString().value)

        let byClosure = session.replay(of: exchange) { request in
            request.headers.remove(name: "If-None-Match")
        }
        print(try await byClosure.serializingString().value)
    }

    static func run(_ session: Session, _ exchanges: [Exchange]) async throws {
        var plan = ReplayPlan()
        plan.roundCount = 10
        plan.concurrency = 4
        plan.delay = .milliseconds(50)
        plan.stopsOnMismatch = true
        try await ReplayRun(session, plan: plan).run(ReplayList(exchanges)) { result in
            print(result.originalID, result.original.status as Any, result.replay?.status as Any)
            return !result.isMismatch
        }
    }

    static func recorded(into path: String, _ configuration: SessionConfiguration) async throws {
        let recorder = try Recorder(directory: DataDirectory(path: path))
        defer { recorder.stop() }
        let session = Session(recordingInto: recorder, configuration: configuration)
        defer { session.shutdown() }
        _ = await session.request("https://api.test/").serializingData().response
    }
}
