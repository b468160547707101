internal import ProxydCLinuxConfinement
internal import Glibc

/// Rules about files, added one by one and then enforced permanently for this thread and the
/// processes it starts.
struct LandlockRules {
    /// Access rights to files as the kernel's bits (`LANDLOCK_ACCESS_FS_…`).
    private enum Access {
        static let execute: UInt64 = 1 << 0
        static let writeFile: UInt64 = 1 << 1
        static let readFile: UInt64 = 1 << 2
        static let readFolder: UInt64 = 1 << 3
        static let makeDevices: UInt64 = 1 << 6 | 1 << 11
        static let truncate: UInt64 = 1 << 14
        static let controlDevices: UInt64 = 1 << 15
        /// Rights that apply only to directories.
        static let ofFolders: UInt64 = 0x3FF8

        /// All rights that a version knows.
        static func all(_ version: Int) -> UInt64 {
            switch version {
            case ..<2: 0x1FFF
            case 2: 0x3FFF
            case 3, 4: 0x7FFF
            default: 0xFFFF
            }
        }
    }

    private let descriptor: Int32
    private let all: UInt64

    /// Creates rules that allow nothing. If the kernel supports it, signals and abstract sockets
    /// are restricted too.
    init() throws {
        let version = try Landlock.version()
        all = Access.all(version)
        descriptor = clinuxconfinement_create(
            clinuxconfinement_attributes(files: all, network: 0, scopes: version >= 6 ? 3 : 0))
        guard descriptor >= 0 else { throw ConfinementFailure(errnoOf: "Landlock") }
    }

    /// Allows a path and its contents to be read and executed.
    func allowReading(_ path: String) throws {
        try allow(path, Access.execute | Access.readFile | Access.readFolder)
    }

    func allowListing(_ path: String) throws { try allow(path, Access.readFolder) }

    func allowDevice(_ path: String) throws {
        try allow(path, Access.readFile | Access.writeFile | Access.truncate)
    }

    /// Allows everything in a directory except creating devices.
    func allowWriting(_ path: String) throws {
        try allow(path, all & ~(Access.makeDevices | Access.controlDevices))
    }

    private func allow(_ path: String, _ access: UInt64) throws {
        let place = clinuxconfinement_open_place(path)
        guard place >= 0 else {
            // A path may have been removed since it was listed, or may not be accessible.
            if errno == ENOENT || errno == EACCES || errno == ELOOP { return }
            throw ConfinementFailure(errnoOf: path)
        }
        defer { close(place) }
        var status = stat()
        guard fstat(place, &status) == 0 else { throw ConfinementFailure(errnoOf: path) }
        let isFolder = status.st_mode & S_IFMT == S_IFDIR
        let possible = access & all & (isFolder ? all : ~Access.ofFolders)
        guard clinuxconfinement_allow(descriptor, place, possible) == 0 else {
            throw ConfinementFailure(errnoOf: path)
        }
    }

    func enter() throws {
        guard clinuxconfinement_restrict(descriptor) == 0 else {
            throw ConfinementFailure(errnoOf: "Landlock")
        }
        close(descriptor)
    }
}

/// The kernel's support for confining programs (landlock(7)).
public enum Landlock {
    public struct Missing: Error, Sendable, CustomStringConvertible {
        public let description: String
    }

    /// The version of the interface, counted from 1. Version 6 is the first that also restricts
    /// signals.
    /// - Throws: if the kernel has no Landlock, or does not let this process use it.
    public static func version() throws(Missing) -> Int {
        let version = clinuxconfinement_version()
        guard version < 1 else { return Int(version) }
        let reason =
            switch errno {
            case ENOSYS: "this kernel has no Landlock"
            case EOPNOTSUPP: "Landlock is switched off in this kernel"
            default: "Landlock may not be used here (\(String(cString: strerror(errno))))"
            }
        throw Missing(description: reason)
    }
}

/// The paths that may be read, except hidden places.
///
/// Landlock allows access to whole directories. If a directory contains a hidden place, its other
/// entries are allowed one by one instead; entries created later are not.
struct ReadablePaths {
    /// A place that is hidden: where a path leads.
    private struct HiddenPath {
        let path: String
        let isFolder: Bool

        init(_ path: String) {
            self.path = ReadablePaths.target(path)
            isFolder = ReadablePaths.isFolder(path)
        }
    }

    /// The maximum number of links that lead to one another (path_resolution(7)).
    private static let linkCountMax = 40

    private(set) var paths: [String] = []
    /// Folders around hidden files, in which names may be listed, as in the folders below them. The
    /// names around a hidden folder are hidden, too.
    private(set) var listed: [String] = []
    /// Folders with hidden files, whose other entries are allowed one by one.
    private(set) var partial: [String] = []
    private let hidden: [HiddenPath]

    /// Creates the list from existing paths, without the hidden places, which need not exist yet.
    init(_ wanted: [String], hiding hidden: [String]) {
        self.hidden = hidden.map(HiddenPath.init)
        for path in wanted {
            if let path = ReadablePaths.resolved(path) { add(path) }
        }
    }

    private mutating func add(_ path: String) {
        guard !hidden.contains(where: { ReadablePaths.isInside(path, $0.path) }) else { return }
        let within = hidden.filter { ReadablePaths.isInside($0.path, path) }
        // Below a file there is nothing.
        guard !within.isEmpty, ReadablePaths.isFolder(path) else { return paths.append(path) }
        if !within.contains(where: \.isFolder) { listed.append(path) }
        if !within.allSatisfy(\.isFolder) { partial.append(path) }
        for name in ReadablePaths.names(in: path) {
            let entry = path == "/" ? "/\(name)" : "\(path)/\(name)"
            // A link may lead to a hidden place; other targets are allowed under their own names.
            if !ReadablePaths.isLink(entry) { add(entry) }
        }
    }

    /// Whether a path equals a folder or is inside it; both without links.
    static func isInside(_ path: String, _ folder: String) -> Bool {
        path == folder || folder == "/" || path.hasPrefix(folder + "/")
    }

    /// A path with its links resolved, or nil if it does not exist.
    static func resolved(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// Where a path leads, or would lead if the missing parts existed.
    static func target(_ path: String, linkCount: Int = 0) -> String {
        if let resolved = resolved(path) { return resolved }
        let end = path.lastIndex(of: "/") ?? path.startIndex
        let name = path[end...].drop { $0 == "/" }
        let folder = path[..<end]
        guard !name.isEmpty else { return folder.isEmpty ? "/" : target(String(folder)) }
        if linkCount < linkCountMax, let link = link(path) {
            let next = link.hasPrefix("/") ? link : "\(folder)/\(link)"
            return target(next, linkCount: linkCount + 1)
        }
        let parent = target(folder.isEmpty ? "/" : String(folder), linkCount: linkCount)
        return parent == "/" ? "/\(name)" : "\(parent)/\(name)"
    }

    /// What a symbolic link contains; nil for anything else.
    private static func link(_ path: String) -> String? {
        let bytes = [UInt8](unsafeUninitializedCapacity: Int(PATH_MAX)) { buffer, count in
            count = buffer.withMemoryRebound(to: CChar.self) { buffer in
                guard let start = buffer.baseAddress else { return 0 }
                return max(0, readlink(path, start, buffer.count))
            }
        }
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }

    private static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    private static func isLink(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFLNK
    }

    static func names(in folder: String) -> [String] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}
