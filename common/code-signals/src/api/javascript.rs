//! Names of JavaScript and its runtimes.

use super::Codec::{Base64, Buffer, Compressed, Inflate, Percent};
use super::{Effect, Rows};

pub(super) const NAMES: Rows = &[
    (Effect::Text("/"), "path.sep"),
    (Effect::Text("node"), "process.execPath process.argv0"),
    (Effect::Text("."), "__dirname __filename import.meta.url import.meta.dirname"),
    (Effect::Environ, "process.env Deno.env.toObject() Bun.env"),
    (Effect::Getenv, "Deno.env.get"),
    (Effect::Arguments, "process.argv Deno.args Bun.argv"),
    (Effect::Handles, "http.createServer https.createServer Bun.serve Deno.serve net.createServer"),
    (
        Effect::Network,
        "fetch node-fetch cross-fetch undici.fetch undici.request axios axios.get axios.post axios.put
         axios.request axios.patch axios.create().get axios.create().post axios.create().request
         axios.create() got got.get got.post got.put got.stream request request.get request.post
         request.put request-promise request-promise.get request-promise.post request-promise-native
         needle needle.get needle.post superagent.get superagent.post superagent.post().send
         superagent.get().send phin bent() sync-request urllib.request ky ky.get ky.post http.get
         https.get http.request https.request http.request().write https.request().write
         http.request().end https.request().end net.Socket().write net.connect().write
         net.createConnection().write tls.connect().write net.Socket().send dgram.createSocket().send
         WebSocket().send ws().send ws.WebSocket().send XMLHttpRequest().send navigator.sendBeacon
         nodemailer.createTransport().sendMail socket.io-client().emit socket.io-client.io().emit
         Deno.connect().write http2.connect().request form-data().submit
         node-telegram-bot-api().sendMessage node-telegram-bot-api().sendDocument
         telegraf.Telegraf().telegram.sendMessage discord.js.WebhookClient().send importScripts
         jQuery.get jQuery.post jQuery.ajax $.ajax $.get $.post",
    ),
    (
        Effect::Connection,
        "net.Socket net.connect net.createConnection tls.connect WebSocket ws ws.WebSocket
         XMLHttpRequest().open net.Socket().connect dgram.createSocket socket.io-client
         socket.io-client.io http2.connect discord.js.WebhookClient Deno.connect",
    ),
    (Effect::Download, "download downloadjs"),
    (
        Effect::Dns,
        "dns.lookup dns.resolve dns.resolve4 dns.resolveTxt dns.resolveAny dns.Resolver().resolve4
         dns.Resolver().resolve dns.Resolver().resolveTxt dns.resolveCname dns.resolve6 Deno.resolveDns",
    ),
    (Effect::Decode(Base64), "atob js-base64.Base64.decode js-base64.decode base64-js.toByteArray"),
    (Effect::Decode(Buffer), "Buffer.from Buffer buffer.Buffer.from buffer.Buffer"),
    (
        Effect::Decode(Inflate),
        "zlib.inflateSync zlib.gunzipSync zlib.unzipSync zlib.inflateRawSync pako.inflate pako.ungzip
         zlib.inflate zlib.gunzip",
    ),
    (
        Effect::Decode(Compressed),
        "zlib.brotliDecompressSync lz-string.decompressFromBase64 crypto.createDecipheriv().update
         crypto.createDecipheriv().final crypto-js.AES.decrypt CryptoJS.AES.decrypt",
    ),
    (
        Effect::Encrypt,
        "crypto.createCipheriv().update crypto.createCipheriv().final crypto.publicEncrypt
         crypto-js.AES.encrypt CryptoJS.AES.encrypt",
    ),
    (Effect::Decode(Percent), "decodeURIComponent unescape decodeURI"),
    (
        Effect::Execute,
        "eval vm.runInThisContext vm.runInNewContext vm.runInContext execScript
         vm.Script().runInThisContext vm.Script().runInNewContext require-from-string module._compile
         module.constructor.prototype._compile setTimeout setInterval setImmediate",
    ),
    (Effect::Compile, "Function vm.Script vm.compileFunction AsyncFunction GeneratorFunction"),
    (Effect::LoadCode, "process.dlopen"),
    (
        Effect::Shell,
        "child_process.exec child_process.execSync shelljs.exec execa.command execa.commandSync
         execa.execaCommand execa.execaCommandSync bun.$",
    ),
    (
        Effect::Process,
        "child_process.spawn child_process.spawnSync child_process.execFile child_process.execFileSync
         execa execa.execa execa.sync execa.execaSync cross-spawn cross-spawn.sync child_process.fork
         Deno.Command Deno.run Bun.spawn Bun.spawnSync node-pty.spawn",
    ),
    (Effect::Create, "fs.createWriteStream"),
    (Effect::Open, "fs.open fs.openSync"),
    (
        Effect::Read,
        "fs.readFile fs.readFileSync fs.createReadStream fs.readJson fs.readJsonSync fs.readJSON
         fs.readJSONSync Deno.readTextFile Deno.readTextFileSync Deno.readFile Bun.file",
    ),
    (
        Effect::Write,
        "fs.writeFile fs.writeFileSync fs.appendFile fs.appendFileSync fs.outputFile fs.outputFileSync
         fs.writeJson fs.writeJsonSync Deno.writeTextFile Deno.writeFile Bun.write",
    ),
    (
        Effect::Copy,
        "fs.copyFile fs.copyFileSync fs.rename fs.renameSync fs.copy fs.copySync fs.cp fs.cpSync fs.move
         fs.symlinkSync fs.symlink",
    ),
    (
        Effect::Delete,
        "fs.rm fs.rmSync fs.rmdir fs.rmdirSync fs.unlink fs.unlinkSync fs.remove fs.removeSync rimraf
         rimraf.sync del",
    ),
    (Effect::JoinPath, "path.join path.resolve"),
    (
        Effect::Same,
        "String JSON.stringify path.normalize encodeURIComponent escape Array.from Uint8Array
         Uint8Array.from Blob Request URL Promise.resolve Promise.all util.inspect
         querystring.stringify qs.stringify URLSearchParams btoa zlib.gzipSync zlib.deflateSync
         TextDecoder().decode TextEncoder().encode String.raw Readable.from stream.Readable.from
         Promise.allSettled Promise.race fs.promisify url.pathToFileURL url.fileURLToPath path.dirname fs.realpathSync",
    ),
    (
        Effect::Whole,
        "Object.assign Object.entries Object.keys Object.values structuredClone Object.fromEntries
         Buffer.concat Object.create Object.freeze",
    ),
    (Effect::Home, "os.homedir"),
    (Effect::Temporary, "os.tmpdir fs.mkdtempSync"),
    (
        Effect::Identity,
        "os.hostname os.userInfo os.networkInterfaces public-ip public-ip.v4
         node-machine-id.machineIdSync systeminformation.system",
    ),
    (
        Effect::Capture,
        "clipboardy.read clipboardy.readSync clipboard-event electron.clipboard.readText
         navigator.clipboard.readText screenshot-desktop iohook.on
         node-global-key-listener.GlobalKeyboardListener desktop-screenshot",
    ),
    (
        Effect::Import,
        "require import module.require process.mainModule.require require.main.require process.binding
         module.createRequire() process.getBuiltinModule",
    ),
    (Effect::GetAttribute, "Reflect.get Object.getOwnPropertyDescriptor"),
    (Effect::Characters, "String.fromCharCode String.fromCodePoint"),
    (
        Effect::Apply,
        "process.nextTick queueMicrotask requestAnimationFrame Reflect.apply process.on process.once",
    ),
    (Effect::Folder, "fs.readdir fs.readdirSync glob.sync glob glob.glob globby fast-glob fast-glob.sync"),
    (
        Effect::Archive,
        "archiver().file archiver().directory archiver().glob adm-zip().addLocalFile
         adm-zip().addLocalFolder tar-stream.pack().entry",
    ),
    (Effect::Clipboard, "clipboardy.write clipboardy.writeSync electron.clipboard.writeText"),
    (
        Effect::Bind,
        "util.promisify util.deprecate util.callbackify lodash.memoize lodash.once lodash.debounce lodash.throttle
         once p-limit react.memo react.forwardRef memoize memoizee graceful-fs.gracefulify",
    ),
    (Effect::Promise, "Promise"),
    (
        Effect::Digest,
        "crypto.createHash().update crypto.createHash Number Boolean console.log console.error
         console.warn console.info console.debug fs.existsSync fs.statSync fs.accessSync
         Object.defineProperty Array.isArray isNaN Symbol WebAssembly.compile WebAssembly.instantiate WebAssembly.Module WebAssembly.Instance WebAssembly.instantiateStreaming WebAssembly.compileStreaming Error TypeError RangeError",
    ),
    (Effect::Worker, "worker_threads.Worker"),
    (Effect::ParsedNumber, "parseInt Number.parseInt"),
    (Effect::WriteTo, "fs.writeSync"),
    (Effect::Quote, "shell-quote.quote shell-escape shescape.quote shescape.escape"),
];

pub(super) const METHODS: Rows = &[
    (Effect::Handles, "tool registerTool addTool setRequestHandler registerResource prompt"),
    (Effect::Commands, "action command"),
    (Effect::Confide, "elicitInput elicit createMessage requestSampling cookies storageState"),
    (Effect::Write, "write end"),
    (
        Effect::Same,
        "text json arrayBuffer blob trim toLowerCase concat flat fill buffer body then catch finally
         valueOf toJSON normalize filter readText setEncoding sort match matchAll",
    ),
    (Effect::Decode(Buffer), "toString"),
    (Effect::Reverse, "reverse"),
    (Effect::Map, "map flatMap"),
    (
        Effect::Digest,
        "indexOf includes test startsWith endsWith digest hasOwnProperty log
         warn error info debug",
    ),
    (Effect::Execute, "_compile runInThisContext runInNewContext"),
    (Effect::CharacterNumber, "charCodeAt codePointAt"),
];
