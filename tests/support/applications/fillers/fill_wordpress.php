<?php
// Install WordPress and save posts, pages and comments through its own functions; the plan comes by standard input.
define('WP_INSTALLING', true);
$_SERVER['HTTP_HOST'] = '127.0.0.1';
$_SERVER['SERVER_PROTOCOL'] = 'HTTP/1.1';
require $argv[1] . '/wp-load.php';
require_once ABSPATH . 'wp-admin/includes/upgrade.php';
wp_install('The weblog', 'somebody', 'somebody@example.org', true, '', 'secret');
foreach (get_posts(['numberposts' => -1, 'post_type' => 'any', 'post_status' => 'any']) as $given) {
    wp_delete_post($given->ID, true);
}
switch_theme('twentytwentyone');
global $wp_rewrite;
$wp_rewrite->set_permalink_structure('/%year%/%monthnum%/%postname%/');
update_option('gmt_offset', 0);
$plan = json_decode(file_get_contents('php://stdin'), true);
$categories = [];
foreach ($plan['categories'] as $name) {
    $categories[$name] = wp_create_category($name);
}
function save($planned, $type, $categories) {
    $when = gmdate('Y-m-d H:i:s', $planned['when']);
    $saved = wp_insert_post([
        'post_title' => $planned['title'], 'post_name' => $planned['name'], 'post_content' => $planned['text'],
        'post_status' => 'publish', 'post_author' => 1, 'post_type' => $type, 'post_date' => $when, 'post_date_gmt' => $when,
        'post_category' => $type == 'post' ? [$categories[$planned['category']]] : [],
        'tags_input' => $type == 'post' ? $planned['tags'] : [],
    ], true);
    if (is_wp_error($saved)) { fwrite(STDERR, $saved->get_error_message()); exit(1); }
    $parent = 0;
    foreach ($type == 'post' ? $planned['comments'] : [] as $number => $said) {
        $parent = wp_insert_comment([
            'comment_post_ID' => $saved, 'comment_author' => "reader $number", 'comment_content' => $said,
            'comment_approved' => 1, 'comment_parent' => $number % 2 ? $parent : 0,
            'comment_date' => gmdate('Y-m-d H:i:s', $planned['when'] + 3600 * ($number + 1)),
        ]);
    }
}
foreach ($plan['posts'] as $post) { save($post, 'post', $categories); }
foreach ($plan['pages'] as $page) { save($page, 'page', $categories); }
$wp_rewrite->flush_rules(false);
