internal import Glibc
internal import ProxydCLinuxConfinement

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

    /// Allows the names in a folder, and in the folders in it, to be read.
    func allowListing(_ path: String) throws { try allow(path, Access.readFolder) }

    /// Allows a device to be read and written.
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

    /// Enforces the rules.
    func enter() throws {
        guard clinuxconfinement_restrict(descriptor) == 0 else {
            throw ConfinementFailure(errnoOf: "Landlock")
        }
        close(descriptor)
    }
}
