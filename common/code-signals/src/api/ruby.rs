//! Names of Ruby.

use super::Codec::{Base64, Inflate, Marshal, Percent};
use super::{Effect, Rows};

pub(super) const NAMES: Rows = &[
    (Effect::Text("."), "__FILE__ __dir__"),
    (Effect::Environ, "ENV"),
    (Effect::Arguments, "ARGV gets"),
    (Effect::Request, "params request"),
    (
        Effect::Network,
        "Net.HTTP.get Net.HTTP.post Net.HTTP.post_form Net.HTTP.get_response Net.HTTP.new().request
         Net.HTTP.start().request Net.HTTP.new().post Net.HTTP.new().get URI.open URI().open
         URI.parse().open URI().read URI.parse().read URI.read OpenURI.open_uri HTTParty.get
         HTTParty.post Faraday.get Faraday.post Faraday.new().get Faraday.new().post RestClient.get
         RestClient.post RestClient.put RestClient.Request.execute Excon.get Excon.post HTTP.get
         HTTP.post TCPSocket.new().puts TCPSocket.new().write TCPSocket.new().gets TCPSocket.open().gets
         TCPSocket.new().read TCPSocket.open().puts TCPSocket.open().write Typhoeus.get Typhoeus.post
         Net.SMTP.start().send_message UDPSocket.new().send Curl.get Curl.post",
    ),
    (
        Effect::Connection,
        "Net.HTTP.new Net.HTTP.start TCPSocket.new TCPSocket.open URI URI.parse Net.HTTP.Post.new
         Net.HTTP.Get.new Faraday.new",
    ),
    (
        Effect::Dns,
        "Resolv.getaddress Resolv.DNS.new().getresources Socket.getaddrinfo IPSocket.getaddress
         Resolv.DNS.new().getaddress Addrinfo.getaddrinfo",
    ),
    (Effect::Decode(Base64), "Base64.decode64 Base64.urlsafe_decode64 Base64.strict_decode64"),
    (Effect::Decode(Inflate), "Zlib.Inflate.inflate Zlib.inflate Zlib.gunzip Zlib.GzipReader.new"),
    (Effect::Decode(Marshal), "Marshal.load RubyVM.InstructionSequence.load_from_binary"),
    (Effect::Decode(Percent), "CGI.unescape URI.decode_www_form_component"),
    (Effect::Encrypt, "OpenSSL.Cipher.new().update OpenSSL.Cipher.Cipher.new().update"),
    (
        Effect::Execute,
        "eval instance_eval class_eval module_eval binding().eval TOPLEVEL_BINDING.eval
         RubyVM.InstructionSequence.compile().eval RubyVM.InstructionSequence.load_from_binary().eval",
    ),
    (Effect::LoadCode, "load Fiddle.dlopen"),
    (
        Effect::Shell,
        "system exec spawn IO.popen Open3.capture2 Open3.capture3 Open3.capture2e Open3.popen3
         Process.spawn Open3.popen2 PTY.spawn",
    ),
    (Effect::Open, "open File.open File.new IO.open"),
    (Effect::Read, "File.read IO.read File.binread File.readlines IO.readlines IO.binread File.foreach"),
    (Effect::Write, "File.write IO.write File.binwrite IO.binwrite"),
    (Effect::Copy, "FileUtils.cp FileUtils.mv FileUtils.copy File.rename FileUtils.ln_s FileUtils.cp_r"),
    (Effect::Delete, "FileUtils.rm_rf FileUtils.rm_r File.delete FileUtils.remove_dir FileUtils.rm"),
    (Effect::JoinPath, "File.join Pathname.new"),
    (
        Effect::Same,
        "File.expand_path String Array CGI.escape URI.encode_www_form JSON.generate JSON.dump
         Base64.encode64 Base64.strict_encode64 StringIO.new YAML.dump Shellwords.split",
    ),
    (Effect::Folder, "Dir.glob Dir.entries Dir.children Dir.[] Dir.each_child Find.find"),
    (Effect::Home, "Dir.home"),
    (Effect::Temporary, "Dir.tmpdir Dir.mktmpdir"),
    (Effect::Create, "Tempfile.new Tempfile.create"),
    (Effect::Identity, "Socket.gethostname Etc.getlogin Etc.getpwuid Socket.ip_address_list"),
    (Effect::Capture, "Clipboard.paste"),
    (Effect::Import, "require require_relative Object.const_get const_get"),
    (Effect::GetAttribute, "send public_send method __send__"),
    (Effect::Apply, "Thread.new at_exit fork proc lambda Proc.new"),
    (
        Effect::Digest,
        "puts print p raise Digest.SHA256.hexdigest Digest.MD5.hexdigest File.exist? warn Integer
         defined? require_paths",
    ),
    (Effect::Quote, "Shellwords.escape Shellwords.shellescape"),
];

pub(super) const METHODS: Rows = &[
    (Effect::Decode(super::Codec::Named), "unpack unpack1"),
    (Effect::Decode(super::Codec::Rot13), "tr"),
    (Effect::Characters, "chr pack"),
    (Effect::Execute, "instance_eval class_eval module_eval"),
    (Effect::GetAttribute, "send public_send __send__ const_get method"),
    (
        Effect::Same,
        "read body to_s to_h to_a to_json inspect strip chomp dup freeze encode force_encoding string
         each_pair sort compact then tap shellescape to_hash",
    ),
    (Effect::Reverse, "reverse"),
    (Effect::Map, "map collect flat_map"),
    (Effect::Write, "write puts print <<"),
    (Effect::Digest, "nil? empty? include? start_with? end_with? length size is_a? respond_to? match?"),
];
