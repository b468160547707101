@testable import ProxydControl
import Foundation
import ProxydTestSupport
import Testing

@Suite struct ControlSocketTests {
    private func mode(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? -1
    }

    @Test func `the control socket has mode 0600 even in a directory that others may read`() throws
    {
        let running = try RunningServer(directory: ScratchFolder(mode: 0o755))
        #expect(try mode(running.directory.socketPath) == 0o600)
    }

    @Test func `a control socket left by a daemon that has exited is replaced`() throws {
        let directory = try ScratchFolder()
        close(try ControlSocket.listen(inDirectory: directory.path))
        #expect(FileManager.default.fileExists(atPath: directory.socketPath))
        let running = try RunningServer(directory: directory)
        #expect(try running.client().status().pid == 7)
    }

    @Test
    func `a second daemon cannot listen and leaves the first daemon's control socket in place`()
        throws
    {
        let running = try RunningServer()
        let error = #expect(throws: ControlError.self) {
            _ = try ControlSocket.listen(inDirectory: running.directory.path)
        }
        #expect(error?.kind == .alreadyRunning)
        #expect(try running.client().status().pid == 7)
    }

    @Test(arguments: ["file", "link", "directory"])
    func `a file, link or directory in place of the control socket is kept, and listening fails`(
        kind: String
    ) throws {
        let directory = try ScratchFolder()
        let target = directory.path + "/precious"
        try "precious".write(toFile: target, atomically: false, encoding: .utf8)
        switch kind {
        case "file": try FileManager.default.moveItem(atPath: target, toPath: directory.socketPath)
        case "link":
            try FileManager.default.createSymbolicLink(
                atPath: directory.socketPath, withDestinationPath: target)
        default:
            try FileManager.default.createDirectory(
                atPath: directory.socketPath, withIntermediateDirectories: false)
        }
        let error = #expect(throws: ControlError.self) {
            _ = try ControlSocket.listen(inDirectory: directory.path)
        }
        #expect(error?.kind == .notPermitted)
        #expect(FileManager.default.fileExists(atPath: directory.socketPath))
    }

    @Test
    func `the control socket works in a data directory with a path too long for a socket address`()
        throws
    {
        let directory = try ScratchFolder()
        let deep = directory.path + "/" + String(repeating: "d", count: 150)
        try FileManager.default.createDirectory(
            atPath: deep, withIntermediateDirectories: false)
        let descriptor = try ControlSocket.listen(inDirectory: deep)
        defer { close(descriptor) }
        #expect(try mode(deep + "/control.sock") == 0o600)
        _ = try ControlClient(dataDirectory: deep)
    }

    @Test
    func `connecting to a data directory without a running daemon fails with a not-running error`()
        throws
    {
        let directory = try ScratchFolder()
        for path in [directory.path, directory.path + "/nowhere"] {
            let error = #expect(throws: ControlError.self) {
                _ = try ControlClient(dataDirectory: path)
            }
            #expect(error?.kind == .notRunning)
        }
    }

    @Test func `only the daemon's own user and root may control the daemon`() {
        #expect(ControlPermission.mayControl(user: 1000, daemonUser: 1000))
        #expect(ControlPermission.mayControl(user: 0, daemonUser: 1000))
        #expect(!ControlPermission.mayControl(user: 1001, daemonUser: 1000))
        #expect(!ControlPermission.mayControl(user: 1001, daemonUser: 0))
    }

    @Test
    func `a control client accepts a daemon run by root, its own user or the directory's owner`() {
        for user: UInt32 in [0, 5, 6] {
            #expect(ControlPermission.mayListen(user: user, directoryOwner: 5, ownUser: 6))
        }
        #expect(!ControlPermission.mayListen(user: 7, directoryOwner: 5, ownUser: 6))
    }
}
