import Foundation
import ProxydTestSupport
import Testing

/// Something that is no store has the name of a store: commands say so, and what to do.
struct UnusableStoreTests {
    enum Kind: String, CaseIterable {
        case emptyFile, pipe, socket, device, folder, bytes, database, unreadable

        /// What the error says of it.
        var problem: String {
            switch self {
            case .emptyFile: " is missing or empty: nothing has been captured yet"
            case .pipe, .socket, .device, .folder: ": not a regular file"
            case .bytes: ": SQLite error 26: file is not a database"
            case .database: " is a database of another program"
            case .unreadable: ": Permission denied"
            }
        }

        var nextStep: String {
            switch self {
            case .emptyFile: "start the proxy with proxyd --data-dir "
            case .unreadable: "run proxyctl as the user who runs proxyd, or name another data "
            default: "move it away, so that proxyd can create a store there, or name another data "
            }
        }

        /// Root may read everything.
        static var possible: [Kind] { allCases.filter { $0 != .unreadable || geteuid() != 0 } }

        func make(at path: String) throws {
            switch self {
            case .emptyFile: try Data().write(to: URL(fileURLWithPath: path))
            case .pipe: try #require(mkfifo(path, 0o600) == 0)
            case .socket:
                try #require(mknod(path, S_IFSOCK | 0o600, 0) == 0)
            case .device: try #require(symlink("/dev/null", path) == 0)
            case .folder: try #require(mkdir(path, 0o700) == 0)
            case .bytes: try Data("not a database".utf8).write(to: URL(fileURLWithPath: path))
            case .database:
                try Tool.run("sqlite3", [path, "CREATE TABLE a (b)"])
            case .unreadable:
                try Data("x".utf8).write(to: URL(fileURLWithPath: path))
                try #require(chmod(path, 0) == 0)
            }
        }
    }

    @Test(arguments: Kind.possible)
    func `every proxyctl command that cannot read the store names it and says what to do next`(
        kind: Kind
    ) throws {
        let data = try ScratchFolder()
        let path = data.path + "/captures.sqlite"
        try kind.make(at: path)
        let proxyctl = try Tool.built("proxyctl")
        let commands = [
            ["list"], ["show", "1"], ["check"], ["sql", "SELECT 1"], ["tail"],
            ["export", "--format", "har"], ["messages", "1"],
        ]
        for command in commands {
            let run = try Tool.run(proxyctl, ["--data-dir", data.path] + command, seconds: 60)
            #expect(run.status == 1)
            let lines = run.errors.split(separator: "\n")
            #expect(lines.first == "proxyctl: \(path)\(kind.problem)", "\(command)")
            #expect(lines.last?.hasPrefix("proxyctl: \(kind.nextStep)") == true, "\(run.errors)")
        }
        let status = try Tool.run(proxyctl, ["--data-dir", data.path, "status"], seconds: 60)
        #expect(status.status == 1 && status.text.hasPrefix("store        "))
    }
}
