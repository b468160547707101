import ClientLib
import ProxydHTTPModel
import ProxydTestSupport
import Synchronization

/// Many requests through one session, each asking for a number of its own.
final class NginxLoad: Sendable {
    /// What was not as it should be.
    let problems = Collector<String>()
    private let session: Session
    private let url: String
    private let answered = Mutex<Set<Int>>([])
    private let next = Atomic<Int>(0)
    private let connections = Mutex<Set<String>>([])

    init(url: String, certificatePath: String, connectionCountMax: Int) {
        self.url = url
        var configuration = SessionConfiguration()
        configuration.maximumConnectionsPerHost = connectionCountMax
        configuration.trustedAuthorities = .files([certificatePath])
        session = Session(configuration: configuration)
    }

    var answeredCount: Int { answered.withLock(\.count) }
    var connectionCount: Int { connections.withLock(\.count) }
    /// Requests that the session still knows of.
    var activeRequestCount: Int {
        var count = 0
        session.withAllRequests { count = $0.count }
        return count
    }

    func run(numbers: Range<Int>, inFlight: Int) async {
        next.store(numbers.lowerBound, ordering: .relaxed)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<inFlight {
                group.addTask {
                    while true {
                        let number = self.next.wrappingAdd(1, ordering: .relaxed).oldValue
                        guard number < numbers.upperBound else { return }
                        await self.ask(number)
                    }
                }
            }
        }
    }

    private func ask(_ number: Int) async {
        let response = await session.request("\(url)/number/\(number)").serializingString().response
        guard response.value == "\(number)", let head = response.response else {
            return problems.add("\(number): \(response.result)")
        }
        if let connection = head.fields["X-Connection"] {
            _ = connections.withLock { $0.insert(connection) }
        }
        if !answered.withLock({ $0.insert(number).inserted }) { problems.add("\(number) twice") }
    }
}
