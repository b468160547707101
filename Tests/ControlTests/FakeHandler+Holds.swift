import ProxydRules
import Foundation
import ProxydControl
import ProxydTestSupport

/// Holds of which only the answers exist: hold 1 can be read and written, hold 2 is taken.
extension FakeHandler {
    func hold(
        _ command: HoldCommand, for client: ControlClientID,
        completion: @escaping ControlCompletion<ControlResult>
    ) {
        note { $0.holdCommands.append(command) }
        completion(answer(to: command))
    }

    private func answer(to command: HoldCommand) -> Result<ControlResult, ControlError> {
        switch command {
        case .subscribe(let filter?) where filter.hasSuffix("("),
            .list(let filter?)
        where filter.hasSuffix("("):
            return .failure(ControlError(.badFilter, "a parenthesis", column: 2))
        case .subscribe, .write, .answer, .intercept: return .success(.done)
        case .claim(let hold, _), .resume(let hold, _, _), .drop(let hold):
            if hold == 2 { return .failure(ControlError(.taken, "it is taken by bob")) }
            return .success(.done)
        case .list, .reserve: return .success(.holds(holds: [FakeHandler.held]))
        case .read(_, let part, let offset):
            let whole = part == .body ? snapshot.heldBody : Array("HEAD\r\n".utf8)
            let end = min(whole.count, offset + ControlLimits.holdPieceByteCountMax)
            let piece = offset < end ? Data(whole[offset..<end]) : Data()
            return .success(.bytes(bytes: piece, byteCount: whole.count))
        case .resumeAll(let filter):
            return .success(.affected(exchangeCount: filter == nil ? 3 : 1))
        }
    }

    static let held = HoldSummary(
        hold: 1, exchangeID: 9, phase: "response", rule: "r \u{0}", method: "GET",
        url: "http://a.test/\u{2028}", status: 503, since: -1, deadline: .max,
        bodyByteCount: nil, claimedBy: "x\ny")

    func guardAddress(
        ip: String, port: UInt16, for client: ControlClientID,
        completion: @escaping ControlCompletion<Void>
    ) {
        guard ip != "x" else {
            return completion(.failure(ControlError(.badMessage, "no address")))
        }
        note { $0.guarded.append("\(ip) \(port) \(client.rawValue)") }
        completion(.success(()))
    }

    func clientLeft(_ client: ControlClientID) {
        note { $0.left.append(client.rawValue) }
        firstLeft.open()
    }

    func toggleInterception(
        ofHost host: String, port: UInt16, completion: @escaping ControlCompletion<Bool>
    ) {
        note { $0.toggled.append("\(host):\(port)") }
        completion(.success(port == 443))
    }
}
