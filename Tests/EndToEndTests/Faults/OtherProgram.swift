import Foundation

/// Another program that has the store open and stays in a transaction.
final class OtherProgram {
    enum Hold: String {
        /// Reads: the log cannot be copied into the store.
        case reading = "BEGIN; SELECT count(*) FROM exchange"
        /// No one else can write.
        case writing = "BEGIN IMMEDIATE"
        /// No one else can write, nor, without a log, read.
        case alone = "BEGIN EXCLUSIVE"
    }

    private let service: Service

    init(_ hold: Hold, store: String) throws {
        guard let python = Tool.find("python3") else {
            throw Tool.Failure(description: "python3 is not installed")
        }
        let script = """
            import sqlite3, sys
            store = sqlite3.connect(sys.argv[1], timeout=30, isolation_level=None)
            for statement in sys.argv[2].split(";"):
                store.execute(statement).fetchall()
            print("held", flush=True)
            sys.stdin.read()
            """
        service = try Service(python, ["-c", script, store, hold.rawValue])
        _ = try service.readLine()
    }

    func end() {
        guard service.isRunning else { return }
        service.signal(SIGKILL)
        _ = service.waitForExit()
    }
}
