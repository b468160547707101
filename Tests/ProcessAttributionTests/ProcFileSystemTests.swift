import Foundation
import Testing

@testable import ProxydProcessAttribution

/// A made-up proc file system in a folder of its own.
private final class FakeProc {
    let root = NSTemporaryDirectory() + "proc-\(UUID().uuidString)"

    deinit { try? FileManager.default.removeItem(atPath: root) }

    func addProcess(_ pid: Int32, comm: String, exe: String, links: [String]) throws {
        let folder = "\(root)/\(pid)"
        try FileManager.default.createDirectory(
            atPath: folder + "/fd",
            withIntermediateDirectories: true
        )
        try Data((comm + "\n").utf8).write(to: URL(fileURLWithPath: folder + "/comm"))
        try FileManager.default.createSymbolicLink(
            atPath: folder + "/exe",
            withDestinationPath: exe
        )
        for (number, link) in links.enumerated() {
            try FileManager.default.createSymbolicLink(
                atPath: "\(folder)/fd/\(number)",
                withDestinationPath: link
            )
        }
    }
}

struct ProcFileSystemTests {
    @Test func `the owner of a socket is the newest process that has it open`() throws {
        let proc = FakeProc()
        for pid in [Int32(10), 20, 30] {
            try proc.addProcess(
                pid,
                comm: "p\(pid)",
                exe: "/bin/p",
                links: pid < 30 ? ["socket:[7]"] : ["pipe:[7]"]
            )
        }
        var search = SocketOwnerSearch(procDirectory: proc.root)
        #expect(search.owner(ofInode: 7, uid: geteuid()) == LocalProcess(pid: 20, name: "p20"))
    }

    @Test
    func `a socket's inode number does not match a longer one that begins with the same digits`()
        throws
    {
        let proc = FakeProc()
        try proc.addProcess(10, comm: "p", exe: "/bin/p", links: ["socket:[77]"])
        var search = SocketOwnerSearch(procDirectory: proc.root)
        #expect(search.owner(ofInode: 7, uid: geteuid()) == nil)
    }

    @Test func `the owner of a socket is found even if its process runs as another user`() throws {
        let proc = FakeProc()
        try proc.addProcess(10, comm: "p", exe: "/bin/p", links: ["socket:[7]"])
        var search = SocketOwnerSearch(procDirectory: proc.root)
        #expect(search.owner(ofInode: 7, uid: geteuid() &+ 1)?.pid == 10)
    }

    @Test func `after a process was replaced, its socket is attributed to the new process`() throws
    {
        let proc = FakeProc()
        try proc.addProcess(10, comm: "old", exe: "/bin/p", links: ["socket:[7]"])
        var search = SocketOwnerSearch(procDirectory: proc.root)
        #expect(search.owner(ofInode: 7, uid: geteuid())?.name == "old")
        try FileManager.default.removeItem(atPath: proc.root + "/10")
        try proc.addProcess(11, comm: "new", exe: "/bin/p", links: ["socket:[7]"])
        #expect(search.owner(ofInode: 7, uid: geteuid()) == LocalProcess(pid: 11, name: "new"))
    }

    @Test
    func `a process name truncated by the kernel is completed from the name of its executable`()
        throws
    {
        let proc = FakeProc()
        try proc.addProcess(
            10,
            comm: "a-very-long-nam",
            exe: "/usr/bin/a-very-long-name",
            links: []
        )
        try proc.addProcess(11, comm: "a-very-long-nam", exe: "/usr/bin/other", links: [])
        let files = ProcFileSystem(root: proc.root)
        #expect(files.programName(of: 10) == "a-very-long-name")
        #expect(files.programName(of: 11) == "a-very-long-nam")
    }

    @Test func `the search for the process of a socket stops when its budget is spent`() throws {
        let proc = FakeProc()
        try proc.addProcess(10, comm: "p", exe: "/bin/p", links: ["socket:[7]"])
        let files = ProcFileSystem(root: proc.root)
        var budget = 0
        #expect(files.descriptor(of: 10, owning: 7, linkBudget: &budget) { _, _ in } == nil)
        budget = 100
        #expect(files.descriptor(of: 10, owning: 7, linkBudget: &budget) { _, _ in } == 0)
        #expect(budget < 100)
    }

    @Test func `the newest file descriptor of a process is searched first`() throws {
        let proc = FakeProc()
        let links = (1...20).map { "socket:[\($0)]" }
        try proc.addProcess(10, comm: "p", exe: "/bin/p", links: links)
        var budget = 1
        #expect(
            ProcFileSystem(root: proc.root)
                .descriptor(of: 10, owning: 20, linkBudget: &budget) { _, _ in } == 19)
    }

    @Test
    func `sockets found in one search for a process are reused in the next search if still open`()
        throws
    {
        let proc = FakeProc()
        let links = (1...20).map { "socket:[\($0)]" } + ["socket:[99999999999]", "pipe:[3]"]
        try proc.addProcess(10, comm: "p", exe: "/bin/p", links: links)
        var search = SocketOwnerSearch(procDirectory: proc.root)
        for inode: UInt32 in [1, 2, 20, 3] {
            #expect(search.owner(ofInode: inode, uid: getuid())?.pid == 10)
        }
        // Descriptor 4 was socket 5, and is not any more.
        unlink("\(proc.root)/10/fd/4")
        #expect(search.owner(ofInode: 5, uid: getuid()) == nil)
        #expect(search.owner(ofInode: 6, uid: getuid())?.pid == 10)
    }

    @Test func `without a proc file system, no process is found for a socket`() {
        var search = SocketOwnerSearch(procDirectory: "/nonexistent")
        #expect(search.owner(ofInode: 7, uid: 0) == nil)
    }
}
