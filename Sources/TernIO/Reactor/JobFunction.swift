// SPDX-License-Identifier: Apache-2.0
// Safety: a job that waits to run is a heap object of the runtime, whose layout the checks below recognise, and its
// contexts live until it has run. What is read of a file lies within the bytes that were read of it. The two functions of C
// have the signatures of dlfcn.h and of the runtime's Demangle.h.
#if DEBUG
    import CTernLinux
    import Glibc

    /// The function of the program that a job is about to go on with, as far as the runtime's records and the symbols of the
    /// program tell.
    @safe struct JobFunction {
        /// The most functions that await each other which are looked at.
        private static let maximumDepth = 32

        /// Functions of these are none of the program's.
        private static let otherModules: Set<String> = [
            "Tern", "TernAFNetworking", "TernEngine", "TernHTTP1", "TernIO", "TernLock", "TernRuntime", "TernTLS",
            "Foundation", "FoundationEssentials", "Dispatch",
        ]

        /// Where they begin, the innermost first.
        private var addresses: [UInt] = []

        /// Looks at a job that has not run yet.
        init(_ job: UnownedJob) {
            // struct Job of the runtime: the kind and the number, what is called to resume it, and with which context.
            let start = unsafe unsafeBitCast(job, to: UnsafeRawPointer.self)
            let kind = unsafe start.load(fromByteOffset: 32, as: UInt32.self) & 0xFF
            let number = unsafe start.load(fromByteOffset: 36, as: UInt32.self)
            // Zero is a task; the number that both know shows that this is the layout.
            guard kind == 0, job.description == "UnownedJob(id: \(number))" else { return }
            var context = unsafe start.load(fromByteOffset: 64, as: UInt.self)
            if let first = unsafe Self.pointer(context), unsafe first.load(as: UInt.self) == 0 {
                // It has not begun: the closure stands before its first context, and what that one wraps in its own.
                addresses.append(unsafe first.load(fromByteOffset: -24, as: UInt.self))
                // What it captures, of which the first may be a type.
                addresses += Self.words(at: unsafe first.load(fromByteOffset: -16, as: UInt.self) &+ 16)
            }
            addresses.append(unsafe start.load(fromByteOffset: 56, as: UInt.self))
            while addresses.count < Self.maximumDepth, let frame = unsafe Self.pointer(context) {
                addresses.append(unsafe frame.load(fromByteOffset: 8, as: UInt.self))
                context = unsafe frame.load(as: UInt.self)
            }
        }

        /// The name of the first that is no function of this package, of Foundation or of Swift; nil if none is known.
        var name: String? {
            var symbols: [String: SymbolTable] = [:]
            for address in addresses {
                guard let (file, base) = Self.image(with: address) else { continue }
                let table = symbols[file] ?? SymbolTable(file)
                symbols[file] = table
                if let symbol = table.symbol(at: address, base), Self.isOfProgram(symbol) {
                    return Self.readable(symbol)
                }
            }
            return nil
        }

        @unsafe private static func pointer(_ address: UInt) -> UnsafeRawPointer? {
            address % 8 == 0 ? unsafe UnsafeRawPointer(bitPattern: address) : nil
        }

        /// Two words of memory, by a system call that fails where there are none.
        private static func words(at address: UInt) -> [UInt] {
            typealias Read = @convention(c) (pid_t, UnsafePointer<iovec>, UInt, UnsafePointer<iovec>, UInt, UInt) -> Int
            guard address >= 4096, let function = unsafe dlsym(nil, "process_vm_readv") else { return [] }
            let read = unsafe unsafeBitCast(function, to: Read.self)
            return unsafe [UInt](unsafeUninitializedCapacity: 2) { buffer, count in
                let size = 2 * MemoryLayout<UInt>.size
                var target = unsafe iovec(iov_base: buffer.baseAddress, iov_len: size)
                var source = unsafe iovec(iov_base: UnsafeMutableRawPointer(bitPattern: address), iov_len: size)
                count = unsafe read(getpid(), &target, 1, &source, 1, 0) == size ? 2 : 0
            }
        }

        /// A mangled name begins with the length and the name of a module, or with another sign where it is Swift's.
        private static func isOfProgram(_ symbol: String) -> Bool {
            guard symbol.hasPrefix("$s") else { return false }
            let digits = symbol.dropFirst(2).prefix { "0123456789".contains($0) }
            guard let length = Int(digits) else { return false }
            let module = symbol.dropFirst(2 + digits.count).prefix(length)
            return !otherModules.contains(String(module))
        }

        /// The name as in a program, without what the compiler has made of the function.
        private static func readable(_ symbol: String) -> String {
            typealias Demangle =
                @convention(c) (
                    UnsafePointer<CChar>, Int, UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<Int>?, UInt32
                ) -> UnsafeMutablePointer<CChar>?
            guard let function = unsafe dlsym(nil, "swift_demangle") else { return symbol }
            let demangle = unsafe unsafeBitCast(function, to: Demangle.self)
            guard let text = unsafe demangle(symbol, symbol.utf8.count, nil, nil, 0) else { return symbol }
            defer { unsafe free(text) }
            var name = unsafe String(cString: text)[...]
            for part in ["resume partial function for ", "partial apply forwarder for ", "async function pointer to "] {
                if let range = name.firstRange(of: part) { name = name[range.upperBound...] }
            }
            return String(name)
        }

        /// The file of the program or library that an address lies in, and where it is loaded.
        private static func image(with address: UInt) -> (file: String, base: UInt)? {
            // Dl_info, which Glibc's module hides.
            var info: (UnsafePointer<CChar>?, UInt, UnsafePointer<CChar>?, UInt) = (nil, 0, nil, 0)
            typealias Find = @convention(c) (UnsafeRawPointer?, UnsafeMutableRawPointer) -> CInt
            guard let function = unsafe dlsym(nil, "dladdr") else { return nil }
            let find = unsafe unsafeBitCast(function, to: Find.self)
            guard unsafe find(UnsafeRawPointer(bitPattern: address), &info) != 0, let file = unsafe info.0 else {
                return nil
            }
            return unsafe (String(cString: file), info.1)
        }
    }

    /// The symbols of a program or a library, which its own linker does not see: those of functions that are resumed are
    /// local ones.
    private struct SymbolTable {
        private let bytes: [UInt8]
        private var symbols: Range<Int> = 0..<0
        private var names: Range<Int> = 0..<0
        /// Whether addresses in the file begin where it is loaded.
        private var isRelative = false

        /// Empty for what is no file with symbols.
        init(_ file: String) {
            bytes = (try? Self.content(of: file)) ?? []
            guard bytes.starts(with: [0x7F, 0x45, 0x4C, 0x46, 2, 1]) else { return }
            isRelative = number(0x10, 2) == 3
            let (sections, size, count) = (number(0x28, 8), number(0x3A, 2), number(0x3C, 2))
            for index in 0..<min(count, 4096) {
                let section = sections &+ index &* size
                guard number(section &+ 4, 4) == 2 else { continue }
                symbols = range(section)
                names = range(sections &+ number(section &+ 0x28, 4) &* size)
            }
        }

        func symbol(at address: UInt, _ base: UInt) -> String? {
            let wanted = Int(truncatingIfNeeded: isRelative ? address &- base : address)
            for place in stride(from: symbols.lowerBound, to: symbols.upperBound, by: 24)
            where number(place &+ 8, 8) == wanted {
                let name = names.lowerBound &+ number(place, 4)
                guard names.contains(name) else { continue }
                let text = String(decoding: bytes[name..<names.upperBound].prefix { $0 != 0 }, as: UTF8.self)
                if !text.isEmpty { return text }
            }
            return nil
        }

        private func range(_ section: Int) -> Range<Int> {
            let (start, size) = (number(section &+ 0x18, 8), number(section &+ 0x20, 8))
            return bytes.indices.clamped(to: start..<max(start, start &+ size))
        }

        private func number(_ place: Int, _ size: Int) -> Int {
            guard place >= 0, place <= bytes.count - size else { return 0 }
            return (0..<size).reversed().reduce(0) { $0 << 8 | Int(bytes[place + $1]) }
        }

        private static func content(of file: String) throws -> [UInt8] {
            let descriptor = unsafe open(file, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return [] }
            defer { close(descriptor) }
            var status = stat()
            guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return [] }
            let size = Int(status.st_size)
            return unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
                while count < size {
                    let rest = unsafe buffer.baseAddress?.advanced(by: count)
                    let taken = unsafe pread(descriptor, rest, size - count, off_t(count))
                    if taken <= 0 { break }
                    count += taken
                }
            }
        }
    }
#endif
